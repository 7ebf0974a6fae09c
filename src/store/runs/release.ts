import { sql } from 'drizzle-orm';
import type pg from 'pg';
import type { Db } from '../db.ts';
import { storable } from '../../kernel/storable.ts';
import { asLeased, type LeasedRun, RUN_QUEUE } from './claim.ts';

/**
 * Releases a run, so that a worker can claim it again after `afterMs`. `refund`: the attempt was not made and does not
 * count.
 */
export async function releaseRun(
  db: Db,
  run: LeasedRun,
  { afterMs, refund, error }: { afterMs: number; refund?: boolean; error?: { code: string; detail: string } | null },
): Promise<void> {
  const set = sql`status = 'queued', attempts = attempts - ${refund ? 1 : 0}::int,
    error = coalesce(${error ? storable(error) : null}::jsonb, error)`;
  await RUN_QUEUE.release(db, asLeased(run), Math.round(afterMs) / 1_000, set);
}

/**
 * The run $2 of the organization $1, if it still has the lease $3. `outdated`: the conversation of the run no longer
 * has this version. The statement locks the conversation before the run, as everywhere.
 */
export const leasedRun = (version: string): string => `
    SELECT held.org_id, held.id, c.version <> ${version} AS outdated
    FROM (SELECT org_id, id, conversation_id FROM run WHERE org_id = $1 AND id = $2 AND lease = $3 LIMIT 1) held
    CROSS JOIN LATERAL (
      SELECT version FROM conversation WHERE org_id = held.org_id AND id = held.conversation_id FOR NO KEY UPDATE
    ) c
    CROSS JOIN LATERAL (
      SELECT FROM run WHERE org_id = held.org_id AND id = held.id AND lease = $3 FOR NO KEY UPDATE
    ) r`;

export const FAIL = `WITH mine AS MATERIALIZED (${leasedRun('$6')})
  UPDATE run r SET status = CASE WHEN outdated THEN 'queued' ELSE 'failed' END, lease = NULL, error = $5::jsonb,
    reason = CASE WHEN outdated THEN NULL ELSE $4 END, due_at = CASE WHEN outdated THEN (SELECT now()) END,
    finished_at = CASE WHEN outdated THEN NULL ELSE (SELECT now()) END,
    attempts = CASE WHEN outdated THEN 0 ELSE r.attempts END,
    agent_version = coalesce($7, r.agent_version), rollout_id = coalesce(r.rollout_id, $8)
  FROM mine WHERE r.org_id = mine.org_id AND r.id = mine.id`;

/**
 * Ends a failed run without a retry, and stores the reason and the version that failed. If a message has arrived since
 * the claim, the run starts again, because the message needs an answer. The statement locks the conversation before the
 * run, as everywhere.
 */
export async function failRun(
  pool: pg.Pool,
  run: LeasedRun & { conversation_version: number },
  error: { code: string; detail: string },
  chosen: { version: number; rolloutId: string | null } | null = null,
): Promise<void> {
  const { org_id, run_id, lease, conversation_version } = run;
  const failed = [error.code, storable(error), conversation_version, chosen?.version, chosen?.rolloutId];
  await pool.query({
    name: 'fail-run',
    text: FAIL,
    values: [org_id, run_id, lease, ...failed],
  });
}
