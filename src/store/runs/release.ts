import type pg from 'pg';

type Held = { org_id: string; run_id: string; lease: string };

/** Releases a run, to be claimed again after `afterMs`; an attempt that was not made is not counted (`refund`). */
export async function releaseRun(
  pool: pg.Pool,
  run: Held,
  options: { afterMs: number; refund?: boolean; error?: { code: string; detail: string } | null },
): Promise<void> {
  await pool.query({
    name: 'release-run',
    text: `UPDATE run SET status = 'queued', lease = NULL, due_at = now() + $4 * interval '1 millisecond',
        attempts = attempts - $5::int, error = coalesce($6::jsonb, error)
      WHERE org_id = $1 AND id = $2 AND lease = $3`,
    values: [
      run.org_id,
      run.run_id,
      run.lease,
      Math.round(options.afterMs),
      options.refund ? 1 : 0,
      options.error ? JSON.stringify(options.error) : null,
    ],
  });
}

export const FAIL = `WITH mine AS MATERIALIZED (
    SELECT held.org_id, held.id, c.version <> $6 AS outdated
    FROM (SELECT org_id, id, conversation_id FROM run WHERE org_id = $1 AND id = $2 AND lease = $3 LIMIT 1) held
    CROSS JOIN LATERAL (
      SELECT version FROM conversation WHERE org_id = held.org_id AND id = held.conversation_id FOR NO KEY UPDATE
    ) c
    CROSS JOIN LATERAL (
      SELECT FROM run WHERE org_id = held.org_id AND id = held.id AND lease = $3 FOR NO KEY UPDATE
    ) r
  )
  UPDATE run r SET status = CASE WHEN outdated THEN 'queued' ELSE 'failed' END, lease = NULL, error = $5::jsonb,
    reason = CASE WHEN outdated THEN NULL ELSE $4 END, due_at = CASE WHEN outdated THEN now() END,
    finished_at = CASE WHEN outdated THEN NULL ELSE now() END,
    attempts = CASE WHEN outdated THEN 0 ELSE r.attempts END
  FROM mine WHERE r.org_id = mine.org_id AND r.id = mine.id`;

/**
 * The run is dead: there is no retry, and it has a reason. Unless a message arrived since it was claimed: that message
 * needs this run, so it starts again. The conversation is locked before the run, as everywhere.
 */
export async function failRun(
  pool: pg.Pool,
  run: Held & { conversation_version: number },
  error: { code: string; detail: string },
): Promise<void> {
  await pool.query({
    name: 'fail-run',
    text: FAIL,
    values: [run.org_id, run.run_id, run.lease, error.code, JSON.stringify(error), run.conversation_version],
  });
}
