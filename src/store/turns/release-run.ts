import type pg from 'pg';

type Held = { org_id: string; run_id: string; lease: string };

/** Gives a run back, to be taken again after `afterMs`; an attempt that never was is not counted (`refund`). */
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

/** The run is dead: it will not be tried again, and says why. */
export async function failRun(pool: pg.Pool, run: Held, error: { code: string; detail: string }): Promise<void> {
  await pool.query({
    name: 'fail-run',
    text: `UPDATE run SET status = 'failed', reason = $4, error = $5::jsonb, lease = NULL, due_at = NULL, finished_at = now()
      WHERE org_id = $1 AND id = $2 AND lease = $3`,
    values: [run.org_id, run.run_id, run.lease, error.code, JSON.stringify(error)],
  });
}
