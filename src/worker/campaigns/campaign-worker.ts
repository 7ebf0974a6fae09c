import type { Logger } from 'pino';
import { type Db, inTransaction } from '../../store/db.ts';
import {
  type CampaignKey,
  claimDue,
  countUnsent,
  delayCampaign,
  expireRecipients,
  findDueCampaigns,
  lockCampaign,
  writeDispatch,
} from '../../store/recipients/dispatch.ts';
import { createLookLoop, type WhenDue } from '../look-loop.ts';
import { BATCH, LOOK_MS, MAX_UNSENT, planDispatch } from '../../features/campaigns/plan-dispatch.ts';

/**
 * Turns due recipients into conversations, in batches. A batch is one transaction. The campaign is locked, so its pace
 * is valid over all workers, and a pause waits for at most one batch. The worker writes recipient, conversation and run
 * together. A crash of the worker leaves all three changes or none, and no lease is needed. The turn worker sends the
 * messages.
 */
export type CampaignWorker = { start(): void; wake(): void; stop(): Promise<void> };

const EXPIRE_BATCH = 2_000;
/** One run of the loop handles at most this many campaigns. The next run of the loop follows immediately. */
export const CAMPAIGNS = 50;
/** The worker searches for ended campaigns at this interval, because an expiry is not urgent. */
const EXPIRE_EVERY_MS = 1_000;
/** A campaign whose batch failed is tried again after this time. */
const RETRY_SECONDS = 5;

export function createCampaignWorker({
  db,
  log,
  whenDue,
  onBegun,
}: {
  db: Db;
  log: Logger;
  whenDue?: WhenDue;
  /** This function is called when new runs need a turn. */
  onBegun(): void;
}): CampaignWorker {
  const pool = db.$client;
  let expiredAt = 0;
  let after: CampaignKey | null = null;

  const loop = createLookLoop({
    failure: 'the worker cannot dispatch campaigns; it tries again',
    log,
    pollMs: LOOK_MS,
    whenDue,
    look: async () => {
      const keys = await findDueCampaigns(pool, after, CAMPAIGNS);
      let isBusy = keys.length === CAMPAIGNS;
      after = isBusy ? keys.at(-1)! : null;
      for (const key of keys) {
        if (loop.isStopping()) break;
        const { isMore, hasBegun } = await dispatchDue(db, key).catch((error: unknown) => delay(key, error));
        if (hasBegun) onBegun();
        isBusy = isMore || isBusy;
      }
      return (await expire()) || isBusy;
    },
  });

  async function delay(key: CampaignKey, error: unknown): ReturnType<typeof dispatchDue> {
    log.warn(
      { err: error, campaign: key.id },
      'the recipients of a campaign could not be started; they are tried again',
    );
    await delayCampaign(pool, key, RETRY_SECONDS);
    return NOTHING;
  }

  async function expire(): Promise<boolean> {
    if (performance.now() - expiredAt < EXPIRE_EVERY_MS) return false;
    // A campaign that cannot be ended does not delay the campaigns that send.
    const count = await expireRecipients(db, EXPIRE_BATCH).catch((error: unknown) => {
      log.warn({ err: error }, 'a campaign could not be ended; the worker tries again');
      return 0;
    });
    if (count < EXPIRE_BATCH) expiredAt = performance.now();
    return count === EXPIRE_BATCH;
  }

  return { start: loop.start, wake: loop.wake, stop: loop.stop };
}

const NOTHING = { isMore: false, hasBegun: false };

/** Processes one batch of a campaign. Returns whether more recipients may be due immediately. */
export const dispatchDue = (
  { $client: pool }: Db,
  key: CampaignKey,
  maxUnsent = MAX_UNSENT,
): Promise<{ isMore: boolean; hasBegun: boolean }> =>
  inTransaction(pool, async (client) => {
    const campaign = await lockCampaign(client, key);
    if (campaign === null) return NOTHING;
    const room = maxUnsent - (await countUnsent(client, key, maxUnsent));
    const due = room === 0 ? [] : await claimDue(client, campaign, Math.min(BATCH, room));
    if (due.length === 0) return NOTHING;
    const { dispatches, pacedUntil, leftOver } = await planDispatch(campaign, due);
    await writeDispatch(client, campaign, dispatches, pacedUntil);
    return {
      isMore: due.length === BATCH && !leftOver,
      hasBegun: dispatches.some(({ kind }) => kind === 'begin'),
    };
  });
