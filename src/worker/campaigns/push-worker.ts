import { hash } from 'node:crypto';
import type { Logger } from 'pino';
import type { CountedFile } from '../../../contract/dashboard/campaigns.ts';
import { Refusal } from '../../../contract/problems.ts';
import { allOf } from '../../features/campaigns/count-file.ts';
import { counted, NOTHING_ADDED, tell } from '../../features/campaigns/count-pushed.ts';
import type { CampaignsDeps } from '../../features/campaigns/deps.ts';
import { pushedRow, type PushRow } from '../../features/campaigns/push-recipients.ts';
import { readRecipients } from '../../features/campaigns/read-recipients.ts';
import { readCampaign } from '../../store/campaigns/campaigns.ts';
import {
  type ClaimedPush,
  claimPush,
  finishPush,
  type PushedPage,
  releasePush,
  settlePage,
} from '../../store/campaigns/push-queue.ts';
import { readChannel } from '../../store/channels/channels.ts';
import { isUnreachable } from '../../store/db.ts';
import { listEndUsers } from '../../store/end-users/search.ts';
import { LEASE_SECONDS } from '../../store/queue/lease-seconds.ts';
import { type PushedRecipient, type PushOutcome, pushRecipients } from '../../store/recipients/push.ts';
import { createPagedLoop, type PagedLoop } from '../paged-loop.ts';

/**
 * Adds audiences to campaigns, 500 people at a time, with the same statement as a push over HTTP. Each page has its own
 * Idempotency-Key (push, first row), and its stored response contains the result of the page. After a crash, the next
 * worker gets the stored response, so no row is counted twice or lost. A person who is already enrolled is always a
 * duplicate.
 */
export type PushWorkerDeps = Pick<CampaignsDeps, 'db' | 'suppression' | 'onPushed'> & { log: Logger };

const CAPACITY = 2;
const PAGE = 500;
/**
 * After this many pages, the push moves behind other waiting pushes, so that a large audience of one organization does
 * not delay all others.
 */
const PAGES_AT_ONCE = 4;
const POLL_MS = 1_000;
const RETRY_SECONDS = 5;

export const createPushWorker = (deps: PushWorkerDeps): PagedLoop =>
  createPagedLoop({
    rows: 'audiences',
    log: deps.log,
    pollMs: POLL_MS,
    leaseSeconds: LEASE_SECONDS.campaign_push,
    capacity: CAPACITY,
    claim: (lease) => claimPush(deps.db, lease),
    work: async (held, stopping) => {
      if (await addPages(deps, held, stopping)) await finishPush(deps.db, held, null);
      // If it belongs to another worker now, this does nothing.
      else await releasePush(deps.db, held, 0);
    },
    fail: (held, error) => settleFailure(deps, held, error),
    ids: ({ id }) => ({ push: id }),
  });

async function settleFailure({ db, log }: PushWorkerDeps, held: ClaimedPush, error: unknown): Promise<void> {
  if (error instanceof Refusal && error.status !== 503) {
    const campaign = await readCampaign(db, held.org_id, held.campaign_id);
    // The push waits during a pause.
    if (campaign?.state === 'paused') return releasePush(db, held, RETRY_SECONDS);
    return finishPush(db, held, { code: error.code, detail: error.message });
  }
  log.warn({ err: error, push: held.id }, 'adding an audience was interrupted');
  if (error instanceof Refusal || isUnreachable(error)) return releasePush(db, held, RETRY_SECONDS);
  return finishPush(db, held, { code: 'internal_error', detail: 'An internal error; see the log.' });
}

type Answered = PushedPage & { next: string | null };
type Campaign = { id: string; kind: string };

/** Returns false if it ended early: stopped, cancelled, claimed by another worker, or interrupted to let others run. */
async function addPages(deps: PushWorkerDeps, held: ClaimedPush, stopping: AbortSignal): Promise<boolean> {
  const campaign = await readCampaign(deps.db, held.org_id, held.campaign_id);
  if (!campaign) throw new Refusal('campaign_not_found');
  const channel = await readChannel(deps.db, held.org_id, campaign.channelId);
  if (!channel) throw new Refusal('channel_disabled', "The campaign's channel was disconnected.");
  const target = { id: campaign.id, kind: channel.kind };
  const rows = held.file === null ? null : await allOf(readRecipients(held.file));
  let { done, after } = held;
  for (let pages = 1; ; pages++) {
    const page = rows
      ? await addRows(deps, held, target, rows.slice(done, done + PAGE), done)
      : await addPeople(deps, held, target, { done, after });
    if (page === null) return true;
    if (!(await settlePage(deps.db, held, page, { before: done, after: page.next }))) return false;
    deps.onPushed();
    done += page.rows;
    after = page.next;
    if (rows ? done >= rows.length : after === null) return true;
    if (stopping.aborted || pages === PAGES_AT_ONCE) return false;
  }
}

/** Adds a page of a file. Null: there is no further page. */
async function addRows(
  deps: PushWorkerDeps,
  held: ClaimedPush,
  campaign: Campaign,
  rows: readonly PushRow[],
  done: number,
): Promise<Answered | null> {
  if (rows.length === 0) return null;
  const recipients = rows.flatMap((row) => ('said' in row ? [pushedRow(row)] : []));
  return push(deps, held, campaign, recipients, done, (outcomes) => {
    // Rows are numbered from the beginning of the file.
    const told = { ...NOTHING_ADDED, rows: done, faults: [] as CountedFile['faults'] };
    tell(told, rows, outcomes);
    const { faults, ...counts } = told;
    const shown = faults.map(({ row, errors }) => ({ row, detail: errors.map(({ detail }) => detail).join(' ') }));
    return { ...counts, rows: rows.length, faults: shown, next: null };
  });
}

/** Adds the next page of matching people. */
async function addPeople(
  deps: PushWorkerDeps,
  held: ClaimedPush,
  campaign: Campaign,
  { done, after }: { done: number; after: string | null },
): Promise<Answered | null> {
  // People are listed only by their IDs.
  const page = after === null ? null : { id: after, createdAt: new Date(0) };
  const found = await listEndUsers(deps.db, held.org_id, held.filter ?? {}, { limit: PAGE, after: page });
  if (found.rows.length === 0) return null;
  const next = found.hasMore ? found.rows.at(-1)!.id : null;
  const recipients = found.rows.map(({ id }) => ({ endUser: { id }, variables: {}, sendAt: null, ref: null }));
  const rows = recipients.length;
  return push(deps, held, campaign, recipients, done, (outcomes) => ({ ...counted(outcomes), rows, faults: [], next }));
}

async function push(
  { db, suppression }: PushWorkerDeps,
  held: ClaimedPush,
  campaign: Campaign,
  recipients: PushedRecipient[],
  done: number,
  told: (outcomes: readonly PushOutcome[]) => Answered,
): Promise<Answered> {
  const scope = hash('sha256', `push\n${held.id}\n${done}`, 'buffer');
  const call = {
    orgId: held.org_id,
    keyId: null,
    from: null,
    campaignId: campaign.id,
    channelKind: campaign.kind,
    requestId: held.request_id,
    dedupe: 'campaign' as const,
    recipients,
    idempotency: { scope, request: scope },
    tally: null,
    answer: (outcomes: readonly PushOutcome[]) => ({ status: 200, body: JSON.stringify(told(outcomes)) }),
  };
  const { answer } = await pushRecipients(db, call, suppression);
  const stored = JSON.parse(answer.body) as Partial<Answered>;
  // An erasure deletes a response that names the person. The page was added, but its counts are lost.
  return stored.rows === undefined ? told([]) : (stored as Answered);
}
