import type pg from 'pg';

/**
 * Decides whether a model may be called, with one row that all nodes share. If a provider requests a pause, the model
 * is not called during that time. If several consecutive calls fail, the next pause is longer. After a pause, one call
 * probes the model, and its outcome ends or extends the pause. Most models have no row, so a call only reads this
 * table.
 */
export type Gate = {
  entered: 'open' | 'probe' | 'closed';
  /** True if the model has failed, so that a success must be stored. */
  known: boolean;
  waitMs: number;
  reason: string;
  /** The time for which all calls of the model have failed. */
  failingMs: number;
};

type Of = { orgId: string; provider: string; model: string };

/** The number of consecutive failures after which calls stop. */
const MAX_FAILURES = 5;
const FIRST_CLOSED_SECONDS = 15;
const MAX_CLOSED_SECONDS = 300;
/** The time is longer than the longest model call. After this time, another call probes the model. */
const PROBE_SECONDS = 45;
/** Blocked calls check again after this time, because a probe may open the gate at any moment. */
const PROBE_WAIT_MS = 1_000;

const values = ({ orgId, provider, model }: Of) => [orgId, provider, model];
const ONE = 'org_id = $1 AND provider = $2 AND model = $3';

export async function enterGate(pool: pg.Pool, of: Of): Promise<Gate> {
  const { rows } = await pool.query<{
    closed_ms: number | null;
    probing: boolean;
    reason: string;
    failing_ms: number;
  }>({
    name: 'enter-model-gate',
    text: `WITH probe AS (
      UPDATE model_gate SET probe_until = now() + make_interval(secs => ${PROBE_SECONDS})
      WHERE ${ONE} AND closed_until <= now() AND (probe_until IS NULL OR probe_until <= now()) RETURNING 1
    )
    SELECT (extract(epoch FROM closed_until - now()) * 1000)::float8 AS closed_ms,
      EXISTS (SELECT 1 FROM probe) AS probing, reason, (extract(epoch FROM now() - since) * 1000)::float8 AS failing_ms
    FROM model_gate WHERE ${ONE}`,
    values: values(of),
  });
  const [row] = rows;
  if (!row) return { entered: 'open', known: false, waitMs: 0, reason: '', failingMs: 0 };
  const entered = row.probing ? 'probe' : row.closed_ms === null ? 'open' : 'closed';
  const waitMs = Math.max(Math.ceil(row.closed_ms ?? 0), PROBE_WAIT_MS);
  return { entered, known: true, waitMs, reason: row.reason, failingMs: row.failing_ms };
}

/**
 * `excluded.since` is the current time. The sum of time and span has no time zone, so the sum does not depend on a
 * setting.
 */
const after = (span: string): string => `((excluded.since AT TIME ZONE 'UTC') + ${span}) AT TIME ZONE 'UTC'`;

/** Stores that a call failed. `waitMs`: the pause that the provider requested. */
export async function reportFailure(
  pool: pg.Pool,
  of: Of,
  { code, waitMs, probed }: { code: string; waitMs: number | null; probed: boolean },
): Promise<void> {
  const closes = `($5::float8 IS NOT NULL OR g.failures + 1 >= ${MAX_FAILURES})`;
  const pause = `make_interval(secs => coalesce($5::float8 / 1000,
    least(${MAX_CLOSED_SECONDS}, ${FIRST_CLOSED_SECONDS} * 2 ^ least(g.closings, 10))))`;
  await pool.query({
    name: 'report-model-failure',
    // Calls that started before the gate closed do not extend the pause, unless the provider requests a longer pause.
    text: `INSERT INTO model_gate AS g (org_id, provider, model, failures, closings, closed_until, reason)
      VALUES ($1, $2, $3, 1, ($5::float8 IS NOT NULL)::int, now() + make_interval(secs => $5::float8 / 1000), $4)
      ON CONFLICT (org_id, provider, model) DO UPDATE SET
        failures = g.failures + 1, reason = $4,
        probe_until = CASE WHEN $6 THEN NULL ELSE g.probe_until END,
        closings = g.closings + ((g.closed_until IS NULL OR $6) AND ${closes})::int,
        closed_until = CASE
          WHEN g.closed_until IS NULL OR $6 THEN CASE WHEN ${closes} THEN ${after(pause)} END
          WHEN $5::float8 IS NOT NULL THEN greatest(g.closed_until, ${after('make_interval(secs => $5::float8 / 1000)')})
          ELSE g.closed_until END`,
    values: [...values(of), code, waitMs, probed],
  });
}

/**
 * Stores that a call was answered, which ends the series of failures. During a pause, only the answer of the probe ends
 * the series.
 */
export async function reportSuccess(pool: pg.Pool, of: Of, probed: boolean): Promise<void> {
  await pool.query({
    name: 'report-model-success',
    text: `DELETE FROM model_gate WHERE ${ONE} AND ($4 OR closed_until IS NULL)`,
    values: [...values(of), probed],
  });
}

/** After a probe without a result, the next call probes the model. */
export async function endProbe(pool: pg.Pool, of: Of): Promise<void> {
  await pool.query({
    name: 'end-model-probe',
    text: `UPDATE model_gate SET probe_until = NULL WHERE ${ONE}`,
    values: values(of),
  });
}
