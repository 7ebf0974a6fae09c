import { type AddedFile, MAX_FILE_ROWS, MAX_NAMED } from '../../../contract/dashboard/campaigns.ts';
import { type Fault, Refusal } from '../../../contract/problems.ts';
import { readCampaign } from '../../store/campaigns/campaigns.ts';
import { type Actor, recordAudit } from '../../store/organizations/audit.ts';
import { planPage } from '../../store/recipients/plan-page.ts';
import { pushRecipients, type PushOutcome } from '../../store/recipients/push.ts';
import { counted } from './add-audience.ts';
import type { CampaignsDeps } from './deps.ts';
import { pushedRow, type PushRow } from './push-recipients.ts';

const PAGE = 500;

export const NOTHING_ADDED = { rows: 0, accepted: 0, duplicates: 0, opted_out: 0, blocked: 0, invalid: 0 };

type Deps = Pick<CampaignsDeps, 'db' | 'suppression' | 'findChannel' | 'onPushed'>;

/**
 * Adds the recipients of a file by the statement of a push, a page after the other. A person who is enrolled already is a
 * duplicate: after an interruption the same file is added again, and no one twice. The file is read to its end first, so
 * a broken one adds no one.
 */
export async function addFile(
  { db, suppression, findChannel, onPushed }: Deps,
  orgId: string,
  id: string,
  { rows: read, isDry }: { rows: AsyncIterable<PushRow>; isDry: boolean },
  actor: Actor,
): Promise<AddedFile> {
  const campaign = await readCampaign(db, orgId, id);
  if (!campaign) throw new Refusal('campaign_not_found');
  const channel = await findChannel(orgId, campaign.channelId);
  if (!channel) throw new Refusal('channel_disabled', "The campaign's channel was disconnected.");
  if (!isDry && campaign.state !== 'live') throw new Refusal('campaign_not_open');
  const rows = await allOf(read);
  const before = { people: new Set<never>(), enrolled: new Map() };
  const call = {
    orgId,
    keyId: null,
    from: null,
    campaignId: id,
    channelId: campaign.channelId,
    channelKind: channel.kind,
    requestId: actor.requestId,
    dedupe: 'campaign' as const,
    idempotency: null,
  };
  const told: AddedFile = { ...NOTHING_ADDED, faults: [] };
  if (!isDry)
    await recordAudit(db, {
      orgId,
      actor,
      action: 'campaign.audience_added',
      subjectId: id,
      facts: { rows: rows.length },
    });
  for (let from = 0; from < rows.length; from += PAGE) {
    const page = rows.slice(from, from + PAGE);
    const recipients = page.flatMap((row) => ('said' in row ? [pushedRow(row)] : []));
    const outcomes = isDry
      ? (await planPage(db, { ...call, recipients }, suppression, before)).map(({ outcome }) => outcome)
      : await push({ ...call, recipients });
    tell(told, page, outcomes);
  }
  return told;

  async function push(page: typeof call & { recipients: ReturnType<typeof pushedRow>[] }): Promise<PushOutcome[]> {
    let outcomes: readonly PushOutcome[] = [];
    const answer = (planned: readonly PushOutcome[]) => {
      outcomes = planned;
      return { status: 200, body: '' };
    };
    await pushRecipients(db, { ...page, answer }, suppression);
    onPushed();
    return [...outcomes];
  }
}

/** The rows of a file, read to its end. */
export async function allOf(read: AsyncIterable<PushRow>): Promise<PushRow[]> {
  const rows: PushRow[] = [];
  for await (const row of read) {
    rows.push(row);
    if (rows.length <= MAX_FILE_ROWS) continue;
    const detail = `A file has at most ${MAX_FILE_ROWS} recipients: split it.`;
    throw new Refusal('validation_failed', undefined, { errors: [{ pointer: '/file', code: 'too_many', detail }] });
  }
  return rows;
}

export function tell(told: AddedFile, page: readonly PushRow[], outcomes: readonly PushOutcome[]): void {
  const wrong = (row: number, ref: string | null, errors: readonly Fault[]): void => {
    told.invalid++;
    const shown = errors.map(({ pointer, code, detail }) => ({ pointer, code, detail }));
    if (told.faults.length < MAX_NAMED) told.faults.push({ row, ref, errors: shown });
  };
  let next = 0;
  for (const row of page) {
    told.rows++;
    const outcome = 'said' in row ? outcomes[next++]! : null;
    if ('errors' in row) wrong(told.rows, row.ref, row.errors);
    else if (outcome?.kind === 'invalid') wrong(told.rows, row.ref, outcome.faults);
  }
  const { accepted, duplicates, opted_out: optedOut, blocked } = counted(outcomes);
  told.accepted += accepted;
  told.duplicates += duplicates;
  told.opted_out += optedOut;
  told.blocked += blocked;
}
