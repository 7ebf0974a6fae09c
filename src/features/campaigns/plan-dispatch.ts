import { templateVariables } from '../../answering/template-variables.ts';
import type { CampaignSettings } from '../../../contract/campaigns.ts';
import type { MessageContent } from '../../../contract/messages.ts';
import { renderTemplate, renderText } from '../../engine/templates.ts';
import { cutText } from '../../../contract/cut-text.ts';
import { newId } from '../../kernel/ids.ts';
import { createLoopShare } from '../../kernel/loop-share.ts';
import type { Dispatch, DueRecipient, LockedCampaign } from '../../store/recipients/dispatch.ts';
import { rememberOpenings } from './quiet-hours.ts';
import { paced } from './pace.ts';
import { NEVER_OPEN, whySkipped } from './skip-recipient.ts';

/** One batch has at most this many recipients, and is a transaction of a few milliseconds. */
export const BATCH = 200;
/**
 * The worker starts no recipient while so many first messages of the campaign wait. A pause, a resume or an end changes
 * all of them in one statement, under the lock of the change log, so they must be few.
 */
export const MAX_UNSENT = 2_000;
/** The worker checks for due recipients at this interval. */
export const LOOK_MS = 250;

/** The facts about a campaign that a plan needs. */
export type PlannedCampaign = Pick<LockedCampaign, 'id' | 'settings' | 'channel_kind' | 'now' | 'paced_until'>;

/** The limit equals the limit of a variable in a directly sent template. */
const MAX_FILLED = 1_024;

/**
 * Decides what happens to each due recipient. Recipients above the rate limit do not change and stay due. Recipients
 * who may not be messaged, or not at this hour, do not count in the pace.
 */
export async function planDispatch(
  campaign: PlannedCampaign,
  due: readonly DueRecipient[],
  /** Finds the next opening for a time zone, with results from earlier batches. */
  opensIn = rememberOpenings(campaign.settings),
): Promise<{ dispatches: Dispatch[]; pacedUntil: Date | null; leftOver: boolean }> {
  const { settings, now } = campaign;
  const pace = paced(settings.per_minute, campaign.paced_until, now);
  // If a member moves the start after recipients were added, the new start also applies to these recipients.
  const starts = settings.starts_at ? new Date(settings.starts_at) : now;
  const from = starts > now ? starts : now;
  const dispatches: Dispatch[] = [];
  let begun = 0;
  let leftOver = false;
  // Two hundred people in as many time zones, or with templates with many variables, take most of a second to plan.
  const share = createLoopShare();
  const plan = (recipient: DueRecipient): void => {
    const end = whySkipped(campaign, recipient);
    const opening = end ? null : opensIn(recipient.person.time_zone ?? settings.time_zone ?? 'UTC', from);
    if (end || opening === null) dispatches.push({ kind: 'end', recipient, ...(end ?? NEVER_OPEN) });
    else if (opening > now) dispatches.push({ kind: 'hold', recipient, until: opening });
    else if (begun >= pace.room) leftOver = true;
    else {
      begun++;
      dispatches.push(begin(campaign, recipient));
    }
  };
  for (const recipient of due) await share(() => plan(recipient));
  return { dispatches, pacedUntil: pace.after(begun), leftOver };
}

function begin(campaign: Pick<LockedCampaign, 'id' | 'settings'>, recipient: DueRecipient): Dispatch {
  const { person, variables } = recipient;
  const opening = openingOf(campaign.settings, person.locale, templateVariables(variables, person));
  return {
    kind: 'begin',
    recipient,
    conversationId: newId('conv'),
    runId: newId('run'),
    input: { variables, campaign_id: campaign.id, recipient_id: recipient.id, ...(opening && { opening }) },
  };
}

/** Returns the campaign's own opening with its variables filled in. Null when the agent writes the opening. */
export function openingOf(
  { opening }: CampaignSettings,
  locale: string | null,
  variables: Record<string, unknown>,
  /** The function receives the names of the variables without a value. */
  empty?: Set<string>,
): MessageContent | null {
  const text = renderText(opening?.text, locale, variables, empty);
  const template = opening?.template;
  if (!template) return text === null || text === '' ? null : { type: 'text', text };
  const filled = Object.entries(template.variables ?? {}).map(([name, value]) => [
    name,
    cutText(renderTemplate(value, variables, empty), MAX_FILLED),
  ]);
  return {
    type: 'template',
    name: template.name,
    ...(template.language !== undefined && { language: template.language }),
    variables: Object.fromEntries(filled) as Record<string, string>,
    ...(text && { text }),
  };
}
