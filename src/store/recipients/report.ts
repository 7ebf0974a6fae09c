import { sql } from 'drizzle-orm';
import { REPORT_DAYS, REPORT_HOURS, type ReportStep } from '../../../contract/dashboard/campaign-report.ts';
import type { Queryable } from '../db.ts';

export type ReportPoint = { at: Date } & Record<ReportStep, number>;
export type ReportRows = { by: 'hour' | 'day'; points: ReportPoint[] };

/**
 * Counts how many recipients reached each step in each hour or day of a time zone, from the first message to the latest
 * change. The count covers only the newest REPORT_DAYS. The function throws the database's error 22023 for an unknown
 * time zone.
 */
export async function reportRecipients(
  db: Queryable,
  orgId: string,
  campaignId: string,
  zone: string,
): Promise<ReportRows> {
  const { rows } = await db.execute<Record<ReportStep, number> & { at: number; by: ReportRows['by'] }>(sql`
    WITH ${binOf(zone)}, bins AS (
      SELECT ${binned('sent_at')}, ${binned('delivered_at')}, ${binned('read_at')}, ${binned('replied_at')},
        ${binned('left_at')}, count(*) AS n
      FROM recipient WHERE org_id = ${orgId} AND campaign_id = ${campaignId} GROUP BY 1, 2, 3, 4, 5
    ), moves AS MATERIALIZED (
      SELECT m.step, m.at, sum(q.n) AS n
      FROM bins q CROSS JOIN LATERAL (VALUES ('sent', q.sent_at), ('delivered', q.delivered_at),
        ('read', q.read_at), ('answered', q.replied_at), ('left', q.left_at)) AS m(step, at)
      WHERE m.at IS NOT NULL GROUP BY 1, 2
    ), span AS MATERIALIZED (
      SELECT CASE WHEN max(at) - min(at) < make_interval(hours => ${REPORT_HOURS - 1}) THEN 'hour' ELSE 'day' END AS by
      FROM moves
    ), moved AS (
      SELECT date_trunc(span.by, m.at, ${zone}) AS at, m.step, sum(m.n) AS n FROM moves m, span GROUP BY 1, 2
    ), points AS (
      SELECT generate_series(min(at), max(at), interval '1 hour') AS at FROM moved HAVING (SELECT by FROM span) = 'hour'
      UNION ALL ${daysOf(zone)}
    )
    SELECT newest.*, span.by FROM (
      SELECT (extract(epoch FROM p.at) * 1000)::float8 AS at,
        ${step('sent')}, ${step('delivered')}, ${step('read')}, ${step('answered')}, ${step('left')}
      FROM points p LEFT JOIN moved m ON m.at = p.at GROUP BY p.at ORDER BY p.at DESC LIMIT ${REPORT_DAYS}
    ) newest, span ORDER BY at`);
  const points = rows.map(({ at, by: _by, ...counts }) => ({ ...counts, at: new Date(at) }));
  return { by: rows[0]?.by ?? 'hour', points };
}

/**
 * The query first counts recipients in bins, because rows with equal bins are one group. Bins of whole hours make fewer
 * groups, but hours of some zones begin at a half or a quarter of an hour in UTC.
 */
const binOf = (zone: string) => sql`bin AS MATERIALIZED (
  SELECT CASE WHEN bool_and(extract(minute FROM (at AT TIME ZONE ${zone}) - (at AT TIME ZONE 'UTC')) = 0)
    THEN interval '1 hour' ELSE interval '15 minutes' END AS width
  FROM (VALUES (date_trunc('year', now())), (date_trunc('year', now()) + interval '6 months')) AS half(at))`;

const binned = (column: string) => sql.raw(`date_bin((SELECT width FROM bin), ${column}, 'epoch') AS ${column}`);

const step = (name: ReportStep) => sql.raw(`coalesce(sum(m.n) FILTER (WHERE m.step = '${name}'), 0)::int AS "${name}"`);

/**
 * Days follow the calendar of the zone, so a day on which the clocks change is an hour longer or shorter. Some of these
 * days begin at 01:00, but the next day begins at 00:00.
 */
const daysOf = (zone: string) => sql`SELECT d AT TIME ZONE ${zone} AS at
  FROM (SELECT min(at) AS first, max(at) AS last FROM moved HAVING (SELECT by FROM span) = 'day') s,
  generate_series(date_trunc('day', s.first AT TIME ZONE ${zone}), s.last AT TIME ZONE ${zone}, interval '1 day') AS d`;
