import { sql } from 'drizzle-orm';
import { REPORT_DAYS, REPORT_HOURS, type ReportStep } from '../../../contract/dashboard/campaign-report.ts';
import type { Queryable } from '../db.ts';

export type ReportPoint = { at: Date } & Record<ReportStep, number>;
export type ReportRows = { by: 'hour' | 'day'; points: ReportPoint[] };

/**
 * How many recipients came how far in each hour or day of a time zone, from the first message to the latest move; the
 * newest REPORT_DAYS. Throws the database's error 22023 for a zone that it does not know.
 */
export async function reportRecipients(
  db: Queryable,
  orgId: string,
  campaignId: string,
  zone: string,
): Promise<ReportRows> {
  const span = await db.execute<{ hours: number | null }>(sql`
    SELECT (extract(epoch FROM max(greatest(sent_at, delivered_at, read_at, replied_at, left_at)) - min(sent_at))
      / 3600)::float8 AS hours
    FROM recipient WHERE org_id = ${orgId} AND campaign_id = ${campaignId}`);
  const { hours } = span.rows[0]!;
  if (hours === null) return { by: 'hour', points: [] };
  const by = hours < REPORT_HOURS - 1 ? 'hour' : 'day';
  const { rows } = await db.execute<Record<ReportStep, number> & { at: number }>(sql`
    WITH moved AS (
      SELECT date_trunc(${by}, m.at, ${zone}) AS at, m.step, count(*)::int AS n
      FROM recipient r CROSS JOIN LATERAL (VALUES ('sent', r.sent_at), ('delivered', r.delivered_at),
        ('read', r.read_at), ('answered', r.replied_at), ('left', r.left_at)) AS m(step, at)
      WHERE r.org_id = ${orgId} AND r.campaign_id = ${campaignId} AND m.at IS NOT NULL GROUP BY 1, 2
    ), points AS (
      ${by === 'hour' ? HOURS : daysOf(zone)}
    )
    SELECT * FROM (
      SELECT (extract(epoch FROM p.at) * 1000)::float8 AS at,
        ${step('sent')}, ${step('delivered')}, ${step('read')}, ${step('answered')}, ${step('left')}
      FROM points p LEFT JOIN moved m ON m.at = p.at GROUP BY p.at ORDER BY p.at DESC LIMIT ${REPORT_DAYS}
    ) newest ORDER BY at`);
  return { by, points: rows.map(({ at, ...counts }) => ({ ...counts, at: new Date(at) })) };
}

const step = (name: ReportStep) => sql.raw(`coalesce(sum(m.n) FILTER (WHERE m.step = '${name}'), 0)::int AS "${name}"`);

const HOURS = sql`SELECT generate_series(min(at), max(at), interval '1 hour') AS at FROM moved`;

/** By the calendar of the zone: a day in which the clocks change is an hour longer or shorter. */
const daysOf = (zone: string) => sql`SELECT d AT TIME ZONE ${zone} AS at
  FROM (SELECT min(at) AS first, max(at) AS last FROM moved) s,
  generate_series(s.first AT TIME ZONE ${zone}, s.last AT TIME ZONE ${zone}, interval '1 day') AS d`;
