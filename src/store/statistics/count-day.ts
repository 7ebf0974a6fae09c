import { sql } from 'drizzle-orm';
import type { IdPrefix } from '../../../contract/ids.ts';
import { CLOCK_SLACK_MS, firstId } from '../../kernel/ids.ts';
import type { Queryable } from '../db.ts';
import type { DayCounts } from '../schema/numbers.ts';

/** A day has at most this many measured waits. With more hand-offs, the median need not be exact. */
const MAX_WAITS = 5_000;
const DAY_MS = 86_400_000;
const hourOf = (moment: string) => sql.raw(`extract(hour FROM ${moment} AT TIME ZONE 'UTC')::int`);

/**
 * Counts a UTC day, given as its first millisecond. IDs contain their time, so the statement reads each table in a
 * range of its primary key. A conversation counts in the hour in which it began, and a hand-off or a rating in its own
 * hour. The statement finds the rows of a conversation by the conversation alone. With the organization in the
 * condition, a planner without statistics would read the whole organization for each row.
 */
export async function countDay(db: Queryable, orgId: string, start: number): Promise<DayCounts> {
  const [from, to] = [new Date(start), new Date(start + DAY_MS)];
  const within = (prefix: IdPrefix, moment: string) => sql`org_id = ${orgId}
    AND id >= ${firstId(prefix, start - CLOCK_SLACK_MS)} AND id < ${firstId(prefix, start + DAY_MS + CLOCK_SLACK_MS)}
    AND ${sql.raw(moment)} >= ${from} AND ${sql.raw(moment)} < ${to}`;
  const { rows } = await db.execute<{ name: string; hour: number; n: number }>(sql`
    WITH begun AS MATERIALIZED (
      SELECT id, run_id, status, ${hourOf('created_at')} AS hour FROM conversation WHERE ${within('conv', 'created_at')}
    ), ended AS (
      SELECT hour, (SELECT 1 FROM hand_off h WHERE h.conversation_id = c.id LIMIT 1) IS NULL
        AND (SELECT 1 FROM message m WHERE m.conversation_id = c.id AND m.role = 'member' LIMIT 1) IS NULL AS alone,
        (SELECT reason FROM run r WHERE r.org_id = ${orgId} AND r.id = c.run_id) AS reason
      FROM begun c WHERE status = 'resolved'
    ), handed AS MATERIALIZED (
      SELECT ${hourOf('at')} AS hour, reason, at, conversation_id FROM hand_off
      WHERE org_id = ${orgId} AND at >= ${from} AND at < ${to}
    ), waited AS (
      SELECT hour, extract(epoch FROM m.first - at)::int AS n FROM handed
      CROSS JOIN LATERAL (
        SELECT min(created_at) AS first FROM message
        WHERE conversation_id = handed.conversation_id AND role = 'member' AND created_at >= at
      ) m
      WHERE m.first IS NOT NULL LIMIT ${MAX_WAITS}
    )
    SELECT 'conversations' AS name, hour, count(*)::int AS n FROM begun GROUP BY hour
    UNION ALL SELECT CASE WHEN NOT alone THEN 'ended:helped' WHEN reason = 'no_reply' THEN 'ended:no_reply'
      ELSE 'ended:alone' END, hour, count(*)::int
      FROM ended GROUP BY 1, 2
    UNION ALL SELECT 'handed_off:' || reason, hour, count(*)::int FROM handed GROUP BY 1, 2
    UNION ALL SELECT 'wait', hour, n FROM waited
    UNION ALL SELECT CASE kind WHEN 'survey' THEN 'rating:' ELSE 'answer:' END || score, ${hourOf('rated_at')},
        count(*)::int FROM rating
      WHERE org_id = ${orgId} AND score IS NOT NULL AND rated_at >= ${from} AND rated_at < ${to} GROUP BY 1, 2
    UNION ALL SELECT 'message:' || status, ${hourOf('created_at')}, count(*)::int FROM message
      WHERE ${within('msg', 'created_at')} AND role IN ('agent', 'member') AND status IS NOT NULL GROUP BY 1, 2
    UNION ALL SELECT 'call:' || outcome, ${hourOf('hour')}, sum(n)::int FROM key_usage
      CROSS JOIN LATERAL (VALUES ('accepted', accepted), ('refused', refused), ('failed', failed)) o(outcome, n)
      WHERE org_id = ${orgId} AND hour >= ${from} AND hour < ${to} AND n > 0 GROUP BY 1, 2
    UNION ALL SELECT 'refusal:' || code, ${hourOf('at')}, count(*)::int FROM request_log
      WHERE ${within('req', 'at')} AND code IS NOT NULL GROUP BY 1, 2`);
  const counts: DayCounts = {};
  for (const { name, hour, n } of rows) {
    const hours = (counts[name] ??= {});
    if (name === 'wait') hours[hour] = [...((hours[hour] as number[] | undefined) ?? []), n];
    else hours[hour] = n;
  }
  return counts;
}
