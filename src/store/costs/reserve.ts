import type pg from 'pg';
import { CODE_PROVIDER } from '../../../contract/turns.ts';
import { named } from '../named-statement.ts';

/** The payers of a turn. An empty text means that there is no payer of this kind. */
export type Payers = { orgId: string; agentId: string; keyId: string; campaignId: string };

export type Measured = { input: number; cached: number; output: number };

/**
 * The usage of a turn so far: the measured part, and the upper limits of the unmeasured part. Times are in
 * milliseconds.
 */
export type Spending = Measured & {
  unknownInput: number;
  unknownOutput: number;
  calls: number;
  time: number;
  unknownTime: number;
};

export type Reservation = {
  id: string;
  payers: Payers;
  provider: string;
  model: string;
  /** The highest usage of this turn after the next call. */
  upTo: Spending;
  runId: string | null;
  lease: string | null;
};

/** A budget that refused a call because the remaining amount was too low. */
export type Refused = {
  id: string;
  subject: string;
  period: string;
  unit: string;
  /**
   * `spent`: the call would not fit even if all turns in progress spent nothing. `unpriced`: the model has no price in
   * its currency.
   */
  why: 'spent' | 'busy' | 'unpriced';
};

const PAYERS = { org_id: 'text', agent_id: 'text', key_id: 'text', campaign_id: 'text' } as const;
const MODEL = { provider: 'text', model: 'text' } as const;
export const SPENDING = {
  input: 'numeric',
  cached: 'numeric',
  output: 'numeric',
  unknown_input: 'numeric',
  unknown_output: 'numeric',
  calls: 'int',
  time: 'numeric',
  unknown_time: 'numeric',
} as const;

export const spendingValues = ({ unknownInput, unknownOutput, unknownTime, ...measured }: Spending) => ({
  ...measured,
  unknown_input: unknownInput,
  unknown_output: unknownOutput,
  unknown_time: unknownTime,
});

/** The cost of `SPENDING`. Unknown input is priced as uncached input. */
export const MONEY = `((:input - :cached + :unknown_input) * p.input + :cached * coalesce(p.cached, p.input)
    + (:output + :unknown_output) * p.output) / 1000000`;
/** The usage in tokens, calls or seconds. */
export const UNPRICED = `WHEN 'tokens' THEN :input + :output + :unknown_input + :unknown_output
    WHEN 'calls' THEN :calls WHEN 'seconds' THEN (:time + :unknown_time) / 1000`;
/** Own code has no tokens and no price. */
const APPLIES = `(:provider <> '${CODE_PROVIDER}' OR b.unit IN ('calls', 'seconds'))`;
const START = `(SELECT date_trunc(b.period, now() AT TIME ZONE 'UTC')::date)`;

/** The lock order is the same everywhere: first the budgets by their ID, then their reservations. */
const RESERVE = named(
  'reserve-budget',
  { ...PAYERS, ...MODEL, ...SPENDING, id: 'text', run_id: 'text', lease: 'text' },
  `WITH money AS (
  SELECT p.currency, ${MONEY} AS amount FROM model_price p
  WHERE p.org_id = :org_id AND p.provider = :provider AND p.model = :model
), mine AS MATERIALIZED (
  SELECT b.org_id, b.id, b.subject, b.period, b.unit, b.amount, b.reserved, ${START} AS start,
    CASE WHEN b.period_start = ${START} THEN b.spent ELSE 0 END AS spent,
    CASE b.unit ${UNPRICED} ELSE (SELECT amount FROM money WHERE currency = b.unit) END AS need,
    coalesce(r.amount, 0) AS held
  FROM budget b
  LEFT JOIN budget_reservation r ON r.org_id = b.org_id AND r.budget_id = b.id AND r.id = :id
  WHERE b.org_id = :org_id AND (b.subject, b.subject_id) IN (
    ('organization', ''), ('agent', :agent_id), ('key', :key_id), ('campaign', :campaign_id))
    AND ${APPLIES}
  ORDER BY b.id FOR NO KEY UPDATE OF b
), fits AS (
  SELECT coalesce(bool_and(coalesce(spent + reserved - held + need <= amount, false)), true) AS ok FROM mine
), taken AS (
  UPDATE budget b SET reserved = mine.reserved - mine.held + mine.need, period_start = mine.start, spent = mine.spent,
    told = CASE WHEN b.period_start = mine.start THEN b.told ELSE 0 END,
    mailed = CASE WHEN b.period_start = mine.start THEN b.mailed ELSE 0 END
  FROM mine, fits WHERE fits.ok AND b.org_id = mine.org_id AND b.id = mine.id
), kept AS (
  INSERT INTO budget_reservation (org_id, id, budget_id, run_id, lease, period_start, amount)
  SELECT org_id, :id, id, nullif(:run_id, ''), nullif(:lease, ''), start, need FROM mine, fits WHERE fits.ok
  ON CONFLICT (org_id, id, budget_id) DO UPDATE SET amount = excluded.amount, period_start = excluded.period_start
)
SELECT id, subject, period, unit, CASE WHEN need IS NULL THEN 'unpriced' WHEN spent + need > amount THEN 'spent' ELSE 'busy'
  END AS why
FROM mine WHERE NOT coalesce(spent + reserved - held + need <= amount, false)`,
);

/**
 * Reserves the amount from all budgets that apply, or from no budget. Returns the budgets whose remaining amount is too
 * low for the call. A second call with the same ID replaces the earlier reservation.
 */
export async function reserve(pool: pg.Pool, { id, payers, provider, model, upTo, runId, lease }: Reservation) {
  const { rows } = await pool.query<Refused>(
    RESERVE({
      org_id: payers.orgId,
      agent_id: payers.agentId,
      key_id: payers.keyId,
      campaign_id: payers.campaignId,
      provider,
      model,
      ...spendingValues(upTo),
      id,
      run_id: runId ?? '',
      lease: lease ?? '',
    }),
  );
  return rows;
}

/**
 * Marks the budgets as spent after they refused a call, even if a small amount is left. Each budget is reported once in
 * a period, because a marked row does not change again.
 */
export async function markSpent(pool: pg.Pool, orgId: string, budgetIds: readonly string[]): Promise<void> {
  await pool.query({
    name: 'mark-budget-spent',
    text: `UPDATE budget b SET told = 100, period_start = ${START},
        spent = CASE WHEN b.period_start = ${START} THEN b.spent ELSE 0 END,
        mailed = CASE WHEN b.period_start = ${START} THEN b.mailed ELSE 0 END
      WHERE b.org_id = $1 AND b.id = ANY ($2) AND (b.told < 100 OR b.period_start <> ${START})`,
    values: [orgId, budgetIds],
  });
}

/** A try in the dashboard has no lease. A test lasts at most 25 seconds. */
const TRY_SECONDS = 60;

/**
 * Charges the reservations of workers that died, whose run has no claim or a later claim. The calls of such
 * reservations may have been made and billed, so the full reservation counts as spent. Charges at most `limit`
 * reservations, of one organization or of all organizations.
 */
export async function chargeLostReservations(
  pool: pg.Pool,
  limit: number,
  orgId: string | null = null,
): Promise<number> {
  const { rows } = await pool.query<{ many: number }>({
    name: 'charge-lost-reservations',
    text: `WITH dead AS (
      DELETE FROM budget_reservation d WHERE (d.org_id, d.id, d.budget_id) IN (
        SELECT r.org_id, r.id, r.budget_id FROM budget_reservation r
        WHERE ($2::text IS NULL OR r.org_id = $2)
          AND CASE WHEN r.run_id IS NULL THEN r.created_at < now() - make_interval(secs => ${TRY_SECONDS})
            ELSE NOT EXISTS (SELECT 1 FROM run WHERE run.org_id = r.org_id AND run.id = r.run_id AND run.lease = r.lease
              AND run.due_at > now()) END
        LIMIT $1)
      RETURNING d.org_id, d.budget_id, d.period_start, d.amount
    ), sums AS (
      SELECT org_id, budget_id, period_start, sum(amount) AS amount FROM dead GROUP BY 1, 2, 3
    ), locked AS MATERIALIZED (
      SELECT b.org_id, b.id FROM budget b WHERE (b.org_id, b.id) IN (SELECT org_id, budget_id FROM sums)
      ORDER BY b.id FOR NO KEY UPDATE
    ), counted AS (
      UPDATE budget b SET reserved = greatest(b.reserved - s.amount, 0),
        spent = b.spent + coalesce((SELECT amount FROM sums t WHERE t.org_id = b.org_id AND t.budget_id = b.id
          AND t.period_start = b.period_start), 0)
      FROM locked l JOIN (SELECT org_id, budget_id, sum(amount) AS amount FROM sums GROUP BY 1, 2) s
        ON s.org_id = l.org_id AND s.budget_id = l.id
      WHERE b.org_id = l.org_id AND b.id = l.id
    )
    SELECT count(*)::int AS many FROM dead`,
    values: [limit, orgId],
  });
  return rows[0]!.many;
}
