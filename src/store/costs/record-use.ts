import type pg from 'pg';
import type { InsteadOf } from '../../../contract/costs.ts';
import { named } from '../named-statement.ts';
import { MONEY, type Payers, SPENDING, type Spending, spendingValues, UNPRICED } from './reserve.ts';

export type TurnUse = {
  id: string;
  payers: Payers;
  conversationId: string | null;
  runId: string | null;
  provider: string;
  model: string;
  unmeasured: number;
  toolCalls: number;
  spent: Spending;
  insteadOf: readonly InsteadOf[];
  /** 0: a call outside turns, such as an embedding. */
  turns?: 0 | 1;
};

/**
 * Counts the usage of an attempt of a turn in its own row, in the sum of its day, and in its budgets, whose reservation
 * ends. The statement counts everything or nothing, and only once, because a second call with the same ID changes
 * nothing. The row contains the measured usage. A budget is also charged with the upper limit of the unmeasured part.
 * If the conversation was erased before this statement, the row has no conversation, but the cost counts.
 */
const SETTLE = named(
  'settle-turn',
  {
    org_id: 'text',
    agent_id: 'text',
    key_id: 'text',
    campaign_id: 'text',
    provider: 'text',
    model: 'text',
    ...SPENDING,
    id: 'text',
    conversation_id: 'text',
    run_id: 'text',
    unmeasured: 'int',
    tool_calls: 'int',
    instead_of: 'jsonb',
    turns: 'int',
  },
  `WITH money AS (
  SELECT p.currency, ${MONEY} AS all_of_it,
    ((:input - :cached) * p.input + :cached * coalesce(p.cached, p.input) + :output * p.output) / 1000000 AS measured
  FROM model_price p WHERE p.org_id = :org_id AND p.provider = :provider AND p.model = :model
), stored AS (
  INSERT INTO model_turn (org_id, id, conversation_id, run_id, agent_id, provider, model, calls, unmeasured, input_tokens,
    cached_tokens, output_tokens, tool_calls, milliseconds, cost, currency, instead_of)
  SELECT :org_id, :id, (SELECT c.id FROM conversation c WHERE c.org_id = :org_id AND c.id = :conversation_id), :run_id,
    :agent_id, :provider, :model, :calls, :unmeasured, :input, :cached, :output, :tool_calls, :time,
    (SELECT measured FROM money),
    (SELECT currency FROM money), :instead_of
  ON CONFLICT DO NOTHING RETURNING *
), rolled AS (
  INSERT INTO model_usage AS u (org_id, day, agent_id, key_id, campaign_id, provider, model, currency, turns, calls,
    unmeasured, input_tokens, cached_tokens, output_tokens, tool_calls, milliseconds, cost)
  SELECT org_id, (now() AT TIME ZONE 'UTC')::date, agent_id, :key_id, :campaign_id, provider, model,
    coalesce(currency, ''), :turns, calls, unmeasured, input_tokens, cached_tokens, output_tokens, tool_calls,
    milliseconds, coalesce(cost, 0)
  FROM stored
  ON CONFLICT (org_id, day, agent_id, key_id, campaign_id, provider, model, currency) DO UPDATE SET
    turns = u.turns + excluded.turns, calls = u.calls + excluded.calls, unmeasured = u.unmeasured + excluded.unmeasured,
    input_tokens = u.input_tokens + excluded.input_tokens, cached_tokens = u.cached_tokens + excluded.cached_tokens,
    output_tokens = u.output_tokens + excluded.output_tokens, tool_calls = u.tool_calls + excluded.tool_calls,
    milliseconds = u.milliseconds + excluded.milliseconds,
    cost = u.cost + excluded.cost
), freed AS (
  DELETE FROM budget_reservation r WHERE r.org_id = :org_id AND r.id = :id
  RETURNING r.org_id, r.budget_id, r.period_start, r.amount
), locked AS MATERIALIZED (
  SELECT b.org_id, b.id FROM budget b WHERE b.org_id = :org_id AND b.id IN (SELECT budget_id FROM freed)
  ORDER BY b.id FOR NO KEY UPDATE
)
UPDATE budget b SET reserved = greatest(b.reserved - f.amount, 0), spent = CASE WHEN b.period_start <> f.period_start
  THEN b.spent ELSE b.spent + CASE b.unit ${UNPRICED}
    ELSE coalesce((SELECT all_of_it FROM money WHERE currency = b.unit), f.amount) END END
FROM freed f JOIN locked l ON l.org_id = f.org_id AND l.id = f.budget_id
WHERE b.org_id = l.org_id AND b.id = l.id`,
);

export async function recordTurnUse(pool: pg.Pool, use: TurnUse): Promise<void> {
  const { payers, spent } = use;
  await pool.query(
    SETTLE({
      org_id: payers.orgId,
      agent_id: payers.agentId,
      key_id: payers.keyId,
      campaign_id: payers.campaignId,
      provider: use.provider,
      model: use.model,
      ...spendingValues(spent),
      id: use.id,
      conversation_id: use.conversationId,
      run_id: use.runId,
      unmeasured: use.unmeasured,
      tool_calls: use.toolCalls,
      instead_of: JSON.stringify(use.insteadOf),
      turns: use.turns ?? 1,
    }),
  );
}

const TRIES_KEPT_DAYS = 30;

/**
 * Deletes old tries in the dashboard, because tries have no conversation whose erasure would delete them. The sums of
 * deleted tries stay.
 */
export async function forgetTries(pool: pg.Pool, limit: number): Promise<number> {
  const gone = await pool.query(
    `DELETE FROM model_turn WHERE (org_id, id) IN (SELECT org_id, id FROM model_turn
      WHERE conversation_id IS NULL AND created_at < now() - make_interval(days => ${TRIES_KEPT_DAYS}) LIMIT $1)`,
    [limit],
  );
  return gone.rowCount ?? 0;
}
