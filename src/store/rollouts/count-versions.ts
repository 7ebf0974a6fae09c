import { sql, type SQL } from 'drizzle-orm';
import { newId } from '../../kernel/ids.ts';
import type { Queryable } from '../db.ts';
import { byKey, checkedOnly } from '../queue/join-by-key.ts';

/** At most this number of the newest runs of the rollout, or else of the organization, is compared. */
const MAX_RUNS = 20_000;

/** The compared runs are the runs of a rollout, or the organization's newest runs since a given time. */
export type ComparedRuns = { rolloutId: string } | { agentId: string; since: Date };

export type VersionCounts = {
  version: number;
  runs: number;
  completed: number;
  handed_off: number;
  unanswered: number;
  failed: number;
  result_complete: number;
  ratings: number;
  average_rating: number | null;
  answers_good: number;
  answers_bad: number;
};
export type VersionCost = { version: number; currency: string; n: number; average: number; deviation: number };
export type ArmCounts = { version: number; n: number; hits: number };

const CONVERSATION = sql.raw(byKey('conversation c', 'c.org_id = r.org_id AND c.id = r.conversation_id'));
const COLUMNS =
  sql.raw(`org_id, id, conversation_id, agent_version AS version, status, reason, result ->> 'status' AS result,
    created_at, finished_at`);
const COUNTS = sql.raw(`agent_version IS NOT NULL AND status NOT IN ('skipped', 'cancelled')`);

const among = (orgId: string, runs: ComparedRuns): SQL =>
  'rolloutId' in runs
    ? sql`rollout_id = ${runs.rolloutId} AND ${sql.raw(checkedOnly('org_id'))} = ${orgId}`
    : sql`org_id = ${orgId} AND id >= ${newId('run', runs.since.getTime()).slice(0, 14)}`;

const chosen = (orgId: string, runs: ComparedRuns, limit: number): SQL =>
  sql`SELECT ${COLUMNS} FROM (SELECT * FROM run WHERE ${among(orgId, runs)} ORDER BY id DESC LIMIT ${limit}) newest
    WHERE ${COUNTS}`;

/**
 * SQL for each run with its outcome. A hand-off and an unanswered question belong to the run in which they happened.
 * The statement finds the rows of a conversation by the conversation alone, as in count-day.ts.
 */
const judged = (orgId: string, runs: ComparedRuns, limit = MAX_RUNS): SQL => sql`
  picked AS MATERIALIZED (${chosen(orgId, runs, limit)}), judged AS MATERIALIZED (
    SELECT r.*, c.end_user_id,
      (SELECT true FROM hand_off h WHERE h.conversation_id = r.conversation_id AND h.at >= r.created_at
        AND h.at <= coalesce(r.finished_at, 'infinity') LIMIT 1) IS NOT NULL AS handed_off,
      (SELECT true FROM message m WHERE m.conversation_id = r.conversation_id AND m.run_id = r.id
        AND m.trace @> '{"steps": [{"kind": "miss"}]}' LIMIT 1) IS NOT NULL AS unanswered
    FROM picked r ${CONVERSATION}
    ${'agentId' in runs ? sql`WHERE c.agent_id = ${runs.agentId}` : sql``}
  )`;

export async function countVersions(db: Queryable, orgId: string, runs: ComparedRuns): Promise<VersionCounts[]> {
  const { rows } = await db.execute<VersionCounts>(sql`WITH ${judged(orgId, runs)}
    SELECT version, count(*)::int AS runs, count(*) FILTER (WHERE status = 'completed')::int AS completed,
      count(*) FILTER (WHERE handed_off)::int AS handed_off, count(*) FILTER (WHERE unanswered)::int AS unanswered,
      count(*) FILTER (WHERE status = 'failed')::int AS failed,
      count(*) FILTER (WHERE result = 'complete')::int AS result_complete,
      count(rated.score)::int AS ratings, avg(rated.score)::float8 AS average_rating,
      coalesce(sum(rated.good), 0)::int AS answers_good, coalesce(sum(rated.bad), 0)::int AS answers_bad
    FROM judged CROSS JOIN LATERAL (
      SELECT max(g.score) FILTER (WHERE g.kind = 'survey') AS score,
        count(*) FILTER (WHERE g.kind = 'answer' AND g.score = 1) AS good,
        count(*) FILTER (WHERE g.kind = 'answer' AND g.score = -1) AS bad
      FROM rating g WHERE g.org_id = judged.org_id AND g.conversation_id = judged.conversation_id AND g.run_id = judged.id
    ) rated
    GROUP BY version ORDER BY version DESC`);
  return rows;
}

/** The cost of a run's model calls, as far as prices are known. */
export async function countVersionCosts(db: Queryable, orgId: string, runs: ComparedRuns): Promise<VersionCost[]> {
  const { rows } = await db.execute<VersionCost>(sql`WITH ${judged(orgId, runs)}, spent AS (
      SELECT r.version, m.currency, sum(m.cost)::float8 AS cost FROM judged r CROSS JOIN LATERAL (
        SELECT currency, cost FROM model_turn WHERE conversation_id = r.conversation_id AND run_id = r.id
          AND cost IS NOT NULL AND currency IS NOT NULL
      ) m GROUP BY r.version, m.currency, r.id
    )
    SELECT version, currency, count(*)::int AS n, avg(cost) AS average, coalesce(stddev_samp(cost), 0) AS deviation
    FROM spent GROUP BY version, currency ORDER BY currency`);
  return rows;
}

/**
 * Counts the end users of a rollout by their first run, and the end users with a problem: a failed run, a hand-off, an
 * unanswered question, or an incomplete result. Runs of one end user resemble each other, so only the first run counts.
 * `returning`: the versions that return a result.
 */
export async function countArms(
  db: Queryable,
  orgId: string,
  rolloutId: string,
  returning: readonly number[],
  limit = MAX_RUNS,
): Promise<ArmCounts[]> {
  const { rows } = await db.execute<ArmCounts>(sql`WITH ${judged(orgId, { rolloutId }, limit)}, first AS (
      SELECT DISTINCT ON (end_user_id) * FROM judged ORDER BY end_user_id, created_at, id
    )
    SELECT version, count(*)::int AS n, count(*) FILTER (WHERE status = 'failed' OR handed_off OR unanswered
      OR (status = 'completed' AND reason IS DISTINCT FROM 'continued' AND result IS DISTINCT FROM 'complete'
        AND version = ANY (${sql.param([...returning])}::int[])))::int AS hits
    FROM first GROUP BY version`);
  return rows;
}
