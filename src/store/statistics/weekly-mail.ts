import { sql } from 'drizzle-orm';
import type { WeeklyMailBody, WeeklyMailLanguage } from '../../../contract/dashboard/weekly-mail.ts';
import type { Queryable } from '../db.ts';

/**
 * The mail is due on Monday at eight, in each organization's time zone. If the server was down on Monday at eight, the
 * mail is still sent until Wednesday at eight.
 */
const HOUR = sql.raw(`interval '8 hours'`);
const LATEST = sql.raw(`interval '2 days'`);

/** A week begins on Monday at eight, so an earlier time belongs to the previous week. */
const shifted = (now: Date, zone = sql`coalesce(w.time_zone, 'UTC')`) =>
  sql`(${now}::timestamptz AT TIME ZONE ${zone} - ${HOUR})`;

const WANTED = sql.raw(`coalesce(w.wanted, m.role IN ('owner', 'admin'))`);

/** Members whose mail for this week is due. A member who joined after Monday at eight gets the next mail. */
const dueMembers = (now: Date) => sql`
  member m LEFT JOIN weekly_mail w ON w.org_id = m.organization_id AND w.user_id = m.user_id
  CROSS JOIN LATERAL (SELECT ${shifted(now)} AS at, date_trunc('week', ${shifted(now)}) AS week) t
  WHERE ${WANTED} AND t.at - t.week < ${LATEST} AND (w.week IS NULL OR w.week < t.week::date)
    AND m.created_at AT TIME ZONE coalesce(w.time_zone, 'UTC') - ${HOUR} < t.week`;

/** The organizations in which a weekly mail is due. */
export async function listDueOrganizations(db: Queryable, now: Date, limit: number): Promise<string[]> {
  const { rows } = await db.execute<{ id: string }>(
    sql`SELECT DISTINCT m.organization_id AS id FROM ${dueMembers(now)} ORDER BY 1 LIMIT ${limit}`,
  );
  return rows.map(({ id }) => id);
}

export type WeeklyReader = { userId: string; email: string; language: WeeklyMailLanguage };

/**
 * Marks the due mails of this week as done and returns the members who get them. If many nodes call the function at
 * once, only one node gets each mail, so queue the mails in the same transaction.
 */
export async function claimWeek(db: Queryable, orgId: string, now: Date): Promise<WeeklyReader[]> {
  const { rows } = await db.execute<{ user_id: string; email: string; language: WeeklyMailLanguage }>(sql`
    WITH claimed AS (
      INSERT INTO weekly_mail (org_id, user_id, week)
      SELECT d.organization_id, d.user_id, d.week FROM (
        SELECT m.organization_id, m.user_id, t.week::date AS week FROM ${dueMembers(now)} AND m.organization_id = ${orgId}
      ) d ORDER BY d.user_id
      ON CONFLICT (org_id, user_id) DO UPDATE SET week = excluded.week
        WHERE weekly_mail.week IS NULL OR weekly_mail.week < excluded.week
      RETURNING user_id, language
    )
    SELECT c.user_id, u.email, c.language FROM claimed c JOIN "user" u ON u.id = c.user_id`);
  return rows.map(({ user_id: userId, email, language }) => ({ userId, email, language }));
}

/** Null: the person is not a member. */
export async function readWeeklyMail(db: Queryable, orgId: string, userId: string): Promise<WeeklyMailBody | null> {
  const { rows } = await db.execute<WeeklyMailBody>(sql`
    SELECT ${WANTED} AS wanted, coalesce(w.time_zone, 'UTC') AS time_zone, coalesce(w.language, 'en') AS language
    FROM member m LEFT JOIN weekly_mail w ON w.org_id = m.organization_id AND w.user_id = m.user_id
    WHERE m.organization_id = ${orgId} AND m.user_id = ${userId}`);
  return rows[0] ?? null;
}

/** A member who turns the weekly mail on gets the next mail, not the mail of this week. */
export async function writeWeeklyMail(
  db: Queryable,
  orgId: string,
  userId: string,
  { wanted, time_zone: zone, language }: WeeklyMailBody,
  now: Date,
): Promise<void> {
  await db.execute(sql`
    WITH given AS (
      SELECT m.organization_id, m.user_id,
        CASE WHEN ${wanted}::boolean AND NOT ${WANTED}
          THEN date_trunc('week', ${shifted(now, sql`${zone}::text`)})::date ELSE w.week END AS week
      FROM member m LEFT JOIN weekly_mail w ON w.org_id = m.organization_id AND w.user_id = m.user_id
      WHERE m.organization_id = ${orgId} AND m.user_id = ${userId}
    )
    INSERT INTO weekly_mail (org_id, user_id, wanted, time_zone, language, week)
    SELECT organization_id, user_id, ${wanted}::boolean, ${zone}::text, ${language}::text, week FROM given
    ON CONFLICT (org_id, user_id) DO UPDATE SET wanted = excluded.wanted, time_zone = excluded.time_zone,
      language = excluded.language, week = excluded.week`);
}

/** Does nothing if the person is not a member. */
export async function stopWeeklyMail(db: Queryable, orgId: string, userId: string): Promise<void> {
  await db.execute(sql`
    INSERT INTO weekly_mail (org_id, user_id, wanted)
    SELECT organization_id, user_id, false FROM member WHERE organization_id = ${orgId} AND user_id = ${userId}
    ON CONFLICT (org_id, user_id) DO UPDATE SET wanted = false`);
}
