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
import { planDispatch } from './plan-dispatch.ts';

/**
 * Turns recipients whose time has come into conversations, batch by batch. A batch is one transaction: the campaign is
 * locked, so its pace is kept over all workers and a pause waits for at most one batch; recipient, conversation and run
 * are written together, so a worker that dies leaves either all of it or nothing, and no lease is needed. What is said
 * then is the turn worker's.
 */
export type CampaignWorker = { start(): void; wake(): void; stop(): Promise<void> };

/** Recipients of one batch: a transaction of a few milliseconds. */
const BATCH = 200;
const EXPIRE_BATCH = 2_000;
/** Campaigns of one look; the next ones have their turn right after it. */
export const CAMPAIGNS = 50;
const POLL_MS = 250;
/** Ended campaigns are looked for this often: nobody waits for what expires. */
const EXPIRE_EVERY_MS = 1_000;

export function createCampaignWorker({
  db,
  log,
  onBegun,
}: {
  db: Db;
  log: Logger;
  /** Runs were made that want a turn. */
  onBegun(): void;
}): CampaignWorker {
  const pool = db.$client;
  let expiredAt = 0;
  let after: CampaignKey | null = null;

  const loop = createLookLoop(POLL_MS, async () => {
    try {
      const keys = await findDueCampaigns(pool, after, CAMPAIGNS);
      let isBusy = keys.length === CAMPAIGNS;
      after = isBusy ? keys.at(-1)! : null;
      for (const key of keys) {
        if (loop.isStopping()) break;
        isBusy = (await dispatch(key)) || isBusy;
      }
      return (await expire()) || isBusy;
    } catch (error) {
      if (!loop.isStopping()) log.warn({ err: error }, 'campaigns cannot be worked off; it is tried again');
      return false;
    }
  });

  /** True when there may be more to do at once. */
  async function dispatch(key: CampaignKey): Promise<boolean> {
    const client = await pool.connect();
    let broken = true;
    try {
      await client.query('BEGIN');
      const campaign = await lockCampaign(client, key);
      const due = campaign === null ? [] : await claimDue(client, campaign, BATCH);
      if (campaign === null || due.length === 0) {
        await client.query('ROLLBACK');
        broken = false;
        return false;
      }
      const { dispatches, pacedUntil, leftOver } = await planDispatch(campaign, due);
      await writeDispatch(client, campaign, dispatches, pacedUntil);
      await client.query('COMMIT');
      broken = false;
      if (dispatches.some(({ kind }) => kind === 'begin')) onBegun();
      return due.length === BATCH && !leftOver;
    } finally {
      // A connection in the middle of a transaction is closed, which ends the transaction.
      client.release(broken);
    }
  }

  async function expire(): Promise<boolean> {
    if (performance.now() - expiredAt < EXPIRE_EVERY_MS) return false;
    const count = await expireRecipients(db, EXPIRE_BATCH);
    if (count < EXPIRE_BATCH) expiredAt = performance.now();
    return count === EXPIRE_BATCH;
  }

  return { start: loop.start, wake: loop.wake, stop: loop.stop };
}
