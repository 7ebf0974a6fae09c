import type { Logger } from 'pino';
import type { CountedFile } from '../../../contract/dashboard/campaigns.ts';
import { Refusal } from '../../../contract/problems.ts';
import { allOf } from '../../features/campaigns/count-file-addition.ts';
import { countByKind, NOTHING_ADDED, countPage } from '../../features/campaigns/count-outcomes.ts';
import type { CampaignsDeps } from '../../features/campaigns/deps.ts';
import { newRecipientOf } from '../../features/campaigns/add-recipients.ts';
import type { RecipientInputRow } from '../../features/campaigns/recipient-input-row.ts';
import { parseRecipients } from '../../features/campaigns/parse-recipients.ts';
import { readCampaign } from '../../store/campaigns/campaigns.ts';
import {
  type ClaimedAddition,
  claimAddition,
  finishAddition,
  type AdditionPage,
  releaseAddition,
  renewAddition,
} from '../../store/campaigns/addition-queue.ts';
import { readChannel } from '../../store/channels/channels.ts';
import { isUnreachable } from '../../store/db.ts';
import { listEndUsers } from '../../store/end-users/search.ts';
import { LEASE_SECONDS } from '../../store/queue/lease-seconds.ts';
import { type NewRecipient, type AdditionOutcome, addRecipients } from '../../store/recipients/add-recipients.ts';
import type { WhenDue } from '../look-loop.ts';
import { createPagedLoop, type PagedLoop } from '../paged-loop.ts';

/**
 * Adds audiences to campaigns, 500 people at a time, with the same statement as an addition over HTTP. The statement
 * also counts the page, so no row is counted twice or lost after a crash, and the counts of a stopped addition are
 * final. A person who is already enrolled is always a duplicate.
 */
export type AdditionWorkerDeps = Pick<CampaignsDeps, 'db' | 'suppression' | 'onAdded'> & {
  log: Logger;
  whenDue?: WhenDue;
};

const CAPACITY = 2;
const PAGE = 500;
/**
 * After this many pages, the addition moves behind other waiting additions, so that a large audience of one
 * organization does not delay all others.
 */
const PAGES_AT_ONCE = 4;
const POLL_MS = 1_000;
const RETRY_SECONDS = 5;

export const createAdditionWorker = (deps: AdditionWorkerDeps): PagedLoop =>
  createPagedLoop({
    rows: 'audiences',
    log: deps.log,
    pollMs: POLL_MS,
    whenDue: deps.whenDue,
    leaseSeconds: LEASE_SECONDS.campaign_push,
    capacity: CAPACITY,
    claim: (lease) => claimAddition(deps.db, lease),
    work: async (claimed, stopping) => {
      if (await addPages(deps, claimed, stopping)) await finishAddition(deps.db, claimed, null);
      // If the addition belongs to another worker, the release changes nothing.
      else await releaseAddition(deps.db, claimed, 0);
    },
    fail: (claimed, error) => handleFailure(deps, claimed, error),
    ids: ({ id }) => ({ addition: id }),
  });

async function handleFailure({ db, log }: AdditionWorkerDeps, claimed: ClaimedAddition, error: unknown): Promise<void> {
  if (error instanceof Refusal && error.status !== 503) {
    const campaign = await readCampaign(db, claimed.org_id, claimed.campaign_id);
    // During a pause of the installation, the addition waits.
    if (campaign?.state === 'paused') return releaseAddition(db, claimed, RETRY_SECONDS);
    return finishAddition(db, claimed, { code: error.code, detail: error.message });
  }
  log.warn({ err: error, addition: claimed.id }, 'adding an audience was interrupted');
  if (error instanceof Refusal || isUnreachable(error)) return releaseAddition(db, claimed, RETRY_SECONDS);
  return finishAddition(db, claimed, { code: 'internal_error', detail: 'An internal error; see the log.' });
}

type Answered = AdditionPage & { next: string | null };
type Campaign = { id: string; kind: string };

/**
 * Returns false if the addition ended early, because it was stopped, cancelled, claimed by another worker, or
 * interrupted to let others run.
 */
async function addPages(deps: AdditionWorkerDeps, claimed: ClaimedAddition, stopping: AbortSignal): Promise<boolean> {
  const campaign = await readCampaign(deps.db, claimed.org_id, claimed.campaign_id);
  if (!campaign) throw new Refusal('campaign_not_found');
  const channel = await readChannel(deps.db, claimed.org_id, campaign.channelId);
  if (!channel) throw new Refusal('channel_disabled', "The campaign's channel was disconnected.");
  const target = { id: campaign.id, kind: channel.kind };
  const rows = claimed.file === null ? null : await allOf(parseRecipients(claimed.file));
  let { done, after } = claimed;
  for (let pages = 1; ; pages++) {
    if (!(await renewAddition(deps.db, claimed))) return false;
    const page = rows
      ? await addRows(deps, claimed, target, rows.slice(done, done + PAGE), done)
      : await addPeople(deps, claimed, target, after);
    if (page === null) return true;
    deps.onAdded();
    done += page.rows;
    after = page.next;
    if (rows ? done >= rows.length : after === null) return true;
    if (stopping.aborted || pages === PAGES_AT_ONCE) return false;
  }
}

/** Adds a page of a file. Null: the file has no further page. */
async function addRows(
  deps: AdditionWorkerDeps,
  claimed: ClaimedAddition,
  campaign: Campaign,
  rows: readonly RecipientInputRow[],
  done: number,
): Promise<Answered | null> {
  if (rows.length === 0) return null;
  const recipients = rows.flatMap((row) => ('recipient' in row ? [newRecipientOf(row)] : []));
  return addPage(deps, claimed, campaign, recipients, (outcomes) => {
    // Rows are numbered from the beginning of the file.
    const counted = { ...NOTHING_ADDED, rows: done, faults: [] as CountedFile['faults'] };
    countPage(counted, rows, outcomes);
    const { faults, ...counts } = counted;
    const shown = faults.map(({ row, errors }) => ({ row, detail: errors.map(({ detail }) => detail).join(' ') }));
    return { ...counts, rows: rows.length, faults: shown, next: null };
  });
}

/** Adds the next page of matching people. */
async function addPeople(
  deps: AdditionWorkerDeps,
  claimed: ClaimedAddition,
  campaign: Campaign,
  after: string | null,
): Promise<Answered | null> {
  // People are listed in the order of their IDs, so the time is unused.
  const page = after === null ? null : { id: after, createdAt: new Date(0) };
  const found = await listEndUsers(deps.db, claimed.org_id, claimed.filter ?? {}, { limit: PAGE, after: page });
  if (found.rows.length === 0) return null;
  const next = found.hasMore ? found.rows.at(-1)!.id : null;
  const recipients = found.rows.map(({ id }) => ({ endUser: { id }, variables: {}, sendAt: null, ref: null }));
  const rows = recipients.length;
  return addPage(deps, claimed, campaign, recipients, (outcomes) => ({
    ...countByKind(outcomes),
    rows,
    faults: [],
    next,
  }));
}

async function addPage(
  { db, suppression }: AdditionWorkerDeps,
  claimed: ClaimedAddition,
  campaign: Campaign,
  recipients: NewRecipient[],
  pageOf: (outcomes: readonly AdditionOutcome[]) => Answered,
): Promise<Answered> {
  let page: Answered | undefined;
  const call = {
    orgId: claimed.org_id,
    keyId: null,
    from: null,
    campaignId: campaign.id,
    channelKind: campaign.kind,
    requestId: claimed.request_id,
    dedupe: 'campaign' as const,
    recipients,
    idempotency: null,
    addition: claimed,
    tally: (outcomes: readonly AdditionOutcome[]) => (page = pageOf(outcomes)),
    answer: () => ({ status: 200, body: '' }),
  };
  await addRecipients(db, call, suppression);
  return page!;
}
