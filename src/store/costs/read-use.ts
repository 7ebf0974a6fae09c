import { sql, type SQL } from 'drizzle-orm';
import type { InsteadOf } from '../../../contract/costs.ts';
import type { Queryable } from '../db.ts';

/** The sum of several turns. `costs`: the sums by currency. */
export type UseRow = {
  turns: number;
  calls: number;
  unmeasured: number;
  input: number;
  cached: number;
  output: number;
  tool_calls: number;
  seconds: number;
  unpriced: number;
  costs: Record<string, string>;
};

export type UsageFilter = {
  orgId: string;
  since: string;
  until: string;
  agentId?: string | undefined;
  keyId?: string | undefined;
  campaignId?: string | undefined;
};

const GROUPS = {
  day: sql.raw('day::text'),
  agent: sql.raw('agent_id'),
  key: sql.raw('key_id'),
  campaign: sql.raw('campaign_id'),
  model: sql.raw("CASE WHEN model = '' THEN provider ELSE provider || '/' || model END"),
  all: sql.raw("''::text"),
} as const;

const NAMES: Record<string, SQL> = {
  agent: sql.raw('(SELECT name FROM agent t WHERE t.org_id = s.org_id AND t.id = s.group)'),
  key: sql.raw('(SELECT label FROM api_key t WHERE t.org_id = s.org_id AND t.id = s.group)'),
  campaign: sql.raw('(SELECT name FROM campaign t WHERE t.org_id = s.org_id AND t.id = s.group)'),
};

const MAX_GROUPS = 400;

/** Sums over days. One row of the table has one model and one currency, so costs are first summed by currency. */
export async function readUsageSums(
  db: Queryable,
  by: keyof typeof GROUPS,
  { orgId, since, until, agentId, keyId, campaignId }: UsageFilter,
): Promise<(UseRow & { group: string; name: string | null })[]> {
  const { rows } = await db.execute<UseRow & { group: string; name: string | null }>(sql`
    WITH per_currency AS (
      SELECT org_id, ${GROUPS[by]} AS "group", currency, sum(turns) AS turns, sum(calls) AS calls,
        sum(unmeasured) AS unmeasured, sum(input_tokens) AS input, sum(cached_tokens) AS cached,
        sum(output_tokens) AS output, sum(tool_calls) AS tool_calls,
        sum(milliseconds) / 1000.0 AS seconds, sum(cost) AS cost
      FROM model_usage WHERE org_id = ${orgId} AND day BETWEEN ${since}::date AND ${until}::date
        ${agentId === undefined ? sql`` : sql`AND agent_id = ${agentId}`}
        ${keyId === undefined ? sql`` : sql`AND key_id = ${keyId}`}
        ${campaignId === undefined ? sql`` : sql`AND campaign_id = ${campaignId}`}
      GROUP BY 1, 2, 3
    ), s AS (
      SELECT org_id, "group", sum(turns)::float8 AS turns, sum(calls)::float8 AS calls,
        sum(unmeasured)::float8 AS unmeasured, sum(input)::float8 AS input, sum(cached)::float8 AS cached,
        sum(output)::float8 AS output, sum(tool_calls)::float8 AS tool_calls,
        sum(seconds)::float8 AS seconds,
        coalesce(sum(input + output) FILTER (WHERE currency = ''), 0)::float8 AS unpriced,
        coalesce(jsonb_object_agg(currency, trim_scale(cost)::text) FILTER (WHERE currency <> ''), '{}') AS costs
      FROM per_currency GROUP BY 1, 2
    )
    SELECT s.*, ${NAMES[by] ?? sql`NULL`} AS name FROM s
    ORDER BY ${by === 'day' ? sql`s.group DESC` : sql`s.input + s.output DESC, s.group`} LIMIT ${MAX_GROUPS}`);
  return rows;
}

export type ModelUseRow = Omit<UseRow, 'unpriced' | 'costs'> & {
  provider: string;
  model: string;
  cost: string | null;
  currency: string | null;
  instead_of: InsteadOf[];
};

const MAX_MODELS = 50;

/** The usage of models in a conversation, or in one of its runs. */
export async function readModelUse(
  db: Queryable,
  orgId: string,
  conversationId: string,
  runId: string | null,
): Promise<ModelUseRow[]> {
  const { rows } = await db.execute<ModelUseRow>(sql`
    SELECT provider, model, currency, instead_of, count(*)::float8 AS turns, sum(calls)::float8 AS calls,
      sum(unmeasured)::float8 AS unmeasured, sum(input_tokens)::float8 AS input, sum(cached_tokens)::float8 AS cached,
      sum(output_tokens)::float8 AS output, sum(tool_calls)::float8 AS tool_calls,
      (sum(milliseconds) / 1000.0)::float8 AS seconds, trim_scale(sum(cost))::text AS cost
    FROM model_turn WHERE conversation_id = ${conversationId} AND org_id = ${orgId}
      AND (${runId}::text IS NULL OR run_id = ${runId})
    GROUP BY provider, model, currency, instead_of ORDER BY min(created_at), provider, model LIMIT ${MAX_MODELS}`);
  return rows;
}
