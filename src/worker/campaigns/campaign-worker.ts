import type { Logger } from 'pino';
import type { Db } from '../../store/db.ts';
import {
  type CampaignKey,
  claimDue,
  expireRecipients,
  findDueCampaigns,
  lockCampaign,
  writeDispatch,
} from '../../store/recipients/dispatch.ts';
import { createLookLoop } from '../look-loop.ts';
import { BATCH, LOOK_MS, planDispatch } from '../../features/campaigns/plan-dispatch.ts';

/**
 * Turns due recipients into conversations, in batches. A batch is one transaction. The campaign is locked, so its pace
 * holds over all workers, and a pause waits for at most one batch. Recipient, conversation and run are written
 * together, so a crash of the worker leaves all of it or nothing, and no lease is needed. The turn worker sends the
 * messages.
 */
export type CampaignWorker = { start(): void; wake(): void; stop(): Promise<void> };

const EXPIRE_BATCH = 2_000;
/** Campaigns per look; the next ones follow immediately after it. */
export const CAMPAIGNS = 50;
/** How often ended campaigns are looked for: an expiry is not urgent. */
const EXPIRE_EVERY_MS = 1_000;

export function createCampaignWorker({
  db,
  log,
  onBegun,
}: {
  db: Db;
  log: Logger;
  /** Called when there are new runs that need a turn. */
  onBegun(): void;
}): CampaignWorker {
  const pool = db.$client;
  let expiredAt = 0;
  let after: CampaignKey | null = null;

  const loop = createLookLoop({
    failure: 'the worker cannot dispatch campaigns; it tries again',
    log,
    pollMs: LOOK_MS,
    look: async () => {
      const keys = await findDueCampaigns(pool, after, CAMPAIGNS);
      let isBusy = keys.length === CAMPAIGNS;
      after = isBusy ? keys.at(-1)! : null;
      for (const key of keys) {
        if (loop.isStopping()) break;
        const { isMore, hasBegun } = await dispatchDue(db, key);
        if (hasBegun) onBegun();
        isBusy = isMore || isBusy;
      }
      return (await expire()) || isBusy;
    },
  });

  async function expire(): Promise<boolean> {
    if (performance.now() - expiredAt < EXPIRE_EVERY_MS) return false;
    const count = await expireRecipients(db, EXPIRE_BATCH);
    if (count < EXPIRE_BATCH) expiredAt = performance.now();
    return count === EXPIRE_BATCH;
  }

  return { start: loop.start, wake: loop.wake, stop: loop.stop };
}

/** One batch of a campaign, and whether there may be more immediately. */
export async function dispatchDue(
  { $client: pool }: Db,
  key: CampaignKey,
): Promise<{ isMore: boolean; hasBegun: boolean }> {
  const client = await pool.connect();
  let broken = true;
  try {
    await client.query('BEGIN');
    const campaign = await lockCampaign(client, key);
    const due = campaign === null ? [] : await claimDue(client, campaign, BATCH);
    if (campaign === null || due.length === 0) {
      await client.query('ROLLBACK');
      broken = false;
      return { isMore: false, hasBegun: false };
    }
    const { dispatches, pacedUntil, leftOver } = await planDispatch(campaign, due);
    await writeDispatch(client, campaign, dispatches, pacedUntil);
    await client.query('COMMIT');
    broken = false;
    return {
      isMore: due.length === BATCH && !leftOver,
      hasBegun: dispatches.some(({ kind }) => kind === 'begin'),
    };
  } finally {
    // Closing a connection in the middle of a transaction rolls the transaction back.
    client.release(broken);
  }
}
