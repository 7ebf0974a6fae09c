import type { CampaignSettings } from '../../../contract/campaigns.ts';
import type { CampaignPreview, PreviewCampaignBody } from '../../../contract/dashboard/campaigns.ts';
import type { MessageContent } from '../../../contract/messages.ts';
import { renderOpening } from '../../answering/render-opening.ts';
import { timestamp } from '../../kernel/clock.ts';
import type { Db } from '../../store/db.ts';
import { checkSettings } from './check-settings.ts';
import type { CampaignsDeps } from './deps.ts';
import { nextOpening } from './quiet-hours.ts';
import { openingOf } from './plan-dispatch.ts';
import { readCampaign } from './read-campaigns.ts';

/**
 * Returns the preview of a campaign. If the campaign has no opening, the preview contains the agent's own opening,
 * unless a model writes the opening.
 */
export async function previewCampaign(
  { db }: Pick<CampaignsDeps, 'db'>,
  orgId: string,
  id: string,
  body: PreviewCampaignBody,
): Promise<CampaignPreview> {
  const { agent_id: agentId } = await readCampaign({ db }, orgId, id);
  checkSettings(body.settings);
  const shown = previewSettings(body.settings, body, new Date());
  if (shown.opening !== null) return shown;
  const { end_user: endUser = {}, variables = {} } = body;
  const opening = await agentOpening(db, orgId, agentId, { endUser: endUser, variables });
  const nameless = { ...(endUser.locale !== undefined && { locale: endUser.locale }) };
  const without = await agentOpening(db, orgId, agentId, { endUser: nameless, variables: {} });
  return { ...shown, opening, without: { ...shown.without, opening: without } };
}

/**
 * The message that a person in a time zone would receive, and its time, by the same rules as in the worker. The
 * function stores nothing.
 */
export function previewSettings(settings: CampaignSettings, body: PreviewCampaignBody, now: Date): CampaignPreview {
  const { end_user: endUser = {}, variables = {}, time_zone: zone } = body;
  const starts = settings.starts_at ? new Date(settings.starts_at) : now;
  const from = body.at ? new Date(body.at) : starts > now ? starts : now;
  const opens = nextOpening(settings, zone ?? settings.time_zone ?? 'UTC', from);
  const empty = new Set<string>();
  const without = openingOf(settings, endUser.locale ?? null, {}, empty);
  // A variable without a value counts in any language of the opening, even in a language that this person does not
  // read.
  for (const language of Object.keys(settings.opening?.text ?? {})) openingOf(settings, language, {}, empty);
  const isOver = settings.ends_at && opens && opens >= new Date(settings.ends_at);
  return {
    from: timestamp(from),
    goes_out_at: opens && !isOver ? timestamp(opens) : null,
    opening: openingOf(settings, endUser.locale ?? null, { ...variables, end_user: endUser }),
    without: { opening: without, empty: [...empty] },
  };
}

type ForWhom = { endUser: NonNullable<PreviewCampaignBody['end_user']>; variables: Record<string, unknown> };

/** Null: a model writes the opening when the conversation starts. */
export async function agentOpening(
  db: Db,
  orgId: string,
  agentId: string,
  { endUser: person, variables }: ForWhom,
): Promise<MessageContent | null> {
  const named = { ...person, name: person.name ?? null };
  const text = await renderOpening(db, { orgId, agentId, locale: person.locale ?? null, variables, endUser: named });
  return text ? { type: 'text', text } : null;
}
