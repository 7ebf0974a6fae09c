import { sql } from 'drizzle-orm';
import { REPORT_DAYS, REPORT_HOURS, type ReportStep } from '../../../contract/dashboard/campaign-report.ts';
import type { Queryable } from '../db.ts';

export type ReportPoint = { at: Date } & Record<ReportStep, number>;
export type ReportRows = { by: 'hour' | 'day'; points: ReportPoint[] };

/**
 * Counts how many recipients reached each step in each hour or day of a time zone, from the first message to the latest
 * change. The newest REPORT_DAYS are counted. Throws the database's error 22023 for an unknown time zone.
 */
export async function reportRecipients(
  db: Queryable,
  orgId: string,
  campaignId: string,
  zone: string,
): Promise<ReportRows> {
  const { rows } = await db.execute<Record<ReportStep, number> & { at: number; by: ReportRows['by'] }>(sql`
    WITH quarters AS (
      SELECT ${quarter('sent_at')}, ${quarter('delivered_at')}, ${quarter('read_at')}, ${quarter('replied_at')},
        ${quarter('left_at')}, count(*) AS n
      FROM recipient WHERE org_id = ${orgId} AND campaign_id = ${campaignId} GROUP BY 1, 2, 3, 4, 5
    ), moves AS MATERIALIZED (
      SELECT m.step, m.at, sum(q.n) AS n
      FROM quarters q CROSS JOIN LATERAL (VALUES ('sent', q.sent_at), ('delivered', q.delivered_at),
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

const quarter = (column: string) => sql.raw(`date_bin('15 minutes', ${column}, 'epoch') AS ${column}`);

const step = (name: ReportStep) => sql.raw(`coalesce(sum(m.n) FILTER (WHERE m.step = '${name}'), 0)::int AS "${name}"`);

/** Days follow the calendar of the zone, so a day on which the clocks change is an hour longer or shorter. */
const daysOf = (zone: string) => sql`SELECT d AT TIME ZONE ${zone} AS at
  FROM (SELECT min(at) AS first, max(at) AS last FROM moved HAVING (SELECT by FROM span) = 'day') s,
  generate_series(s.first AT TIME ZONE ${zone}, s.last AT TIME ZONE ${zone}, interval '1 day') AS d`;
