import type { CampaignSettings } from '../../../contract/campaigns.ts';
import type { MessageContent } from '../../../contract/messages.ts';
import { renderTemplate, renderText } from '../../engine/templates.ts';
import { newId } from '../../kernel/ids.ts';
import { createLoopShare } from '../../kernel/loop-share.ts';
import type { Dispatch, DueRecipient, LockedCampaign } from '../../store/recipients/dispatch.ts';
import { rememberOpenings } from './opening-hours.ts';
import { paced } from './pace.ts';
import { NEVER_OPEN, whySkipped } from './skip-recipient.ts';

/** Recipients in one batch: a transaction of a few milliseconds. */
export const BATCH = 200;
/** The worker looks for due recipients this often. */
export const LOOK_MS = 250;

/** What a plan needs to know of a campaign. */
export type PlannedCampaign = Pick<LockedCampaign, 'id' | 'settings' | 'channel_kind' | 'now' | 'paced_until'>;

/** The same limit as for a variable of a template that is sent directly. */
const MAX_FILLED = 1_024;

/**
 * Decides what happens to each due recipient now. Recipients beyond the pace do not change and stay due. Recipients who
 * may not be messaged, or not at this hour, use nothing of the pace.
 */
export async function planDispatch(
  campaign: PlannedCampaign,
  due: readonly DueRecipient[],
  /** When a time zone opens, with what is known from earlier batches. */
  opensIn = rememberOpenings(campaign.settings),
): Promise<{ dispatches: Dispatch[]; pacedUntil: Date | null; leftOver: boolean }> {
  const { settings, now } = campaign;
  const pace = paced(settings.per_minute, campaign.paced_until, now);
  // If the start is moved after recipients were added, the new start applies to them, too.
  const starts = settings.starts_at ? new Date(settings.starts_at) : now;
  const from = starts > now ? starts : now;
  const dispatches: Dispatch[] = [];
  let begun = 0;
  let leftOver = false;
  // Two hundred people in as many time zones, or with templates of many variables, take most of a second.
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
  const opening = openingOf(campaign.settings, person.locale, variablesOf(recipient));
  return {
    kind: 'begin',
    recipient,
    conversationId: newId('conv'),
    runId: newId('run'),
    input: { variables, campaign_id: campaign.id, recipient_id: recipient.id, ...(opening && { opening }) },
  };
}

/** What the first message can mention. */
export const variablesOf = ({ person, variables }: Pick<DueRecipient, 'person' | 'variables'>) => ({
  ...variables,
  end_user: {
    ...person.attributes,
    id: person.id,
    external_id: person.external_id,
    name: person.name,
    email: person.email,
    phone: person.phone,
  },
});

/** The campaign's own opening, filled in; null when the agent writes the opening. */
export function openingOf(
  { opening }: CampaignSettings,
  locale: string | null,
  variables: Record<string, unknown>,
  /** Gets the names of the variables whose places are empty. */
  empty?: Set<string>,
): MessageContent | null {
  const text = renderText(opening?.text, locale, variables, empty);
  const template = opening?.template;
  if (!template) return text === null || text === '' ? null : { type: 'text', text };
  const filled = Object.entries(template.variables ?? {}).map(([name, value]) => [
    name,
    renderTemplate(value, variables, empty).slice(0, MAX_FILLED),
  ]);
  return {
    type: 'template',
    name: template.name,
    ...(template.language !== undefined && { language: template.language }),
    variables: Object.fromEntries(filled) as Record<string, string>,
    ...(text && { text }),
  };
}
