import { sql, type SQL } from 'drizzle-orm';
import type pg from 'pg';
import {
  MAX_PRESENT,
  type Presence,
  PRESENT_SECONDS,
  type PresentMember,
  TYPING_SECONDS,
} from '../../../contract/dashboard/conversations.ts';
import type { Queryable } from '../db.ts';

/**
 * Records which members have a conversation open. All nodes share the rows of presence. A row expires quickly and is
 * deleted a little later.
 */

/** A repeated report writes its row only if this part of the lifetime has passed or the content has changed. */
const RENEW_SECONDS = 10;
const RENEW_TYPING_SECONDS = 2;

/** Returns false if the conversation does not exist. */
export async function writePresence(
  db: Queryable,
  orgId: string,
  id: string,
  userId: string,
  presence: Exclude<Presence, 'gone'>,
  draft: string | null,
): Promise<boolean> {
  const isTyping = presence === 'typing';
  const stays = presence === 'here';
  const { rows } = await db.execute(sql`WITH found AS (
      SELECT org_id, id FROM conversation WHERE org_id = ${orgId} AND id = ${id}
    ), written AS (
      INSERT INTO conversation_presence AS p (org_id, conversation_id, user_id, here_until, typing_until, draft)
      SELECT org_id, id, ${userId}::text, now() + ${PRESENT_SECONDS}::int * interval '1 second',
        CASE WHEN ${isTyping}::boolean THEN now() + ${TYPING_SECONDS}::int * interval '1 second' END, ${draft}::text
      FROM found
      ON CONFLICT (org_id, conversation_id, user_id) DO UPDATE SET here_until = excluded.here_until,
        typing_until = CASE WHEN ${stays}::boolean THEN p.typing_until ELSE excluded.typing_until END,
        draft = CASE WHEN ${stays}::boolean THEN p.draft ELSE excluded.draft END
      WHERE ${utc('p.here_until')} < ${utc('excluded.here_until')} - ${RENEW_SECONDS}::int * interval '1 second'
        OR NOT ${stays}::boolean AND coalesce(${utc('p.typing_until')}
          > ${utc('excluded.here_until')} - ${PRESENT_SECONDS}::int * interval '1 second', false) <> ${isTyping}::boolean
        OR NOT ${stays}::boolean AND p.draft IS DISTINCT FROM excluded.draft
        OR ${utc('p.typing_until')} < ${utc('excluded.typing_until')} - ${RENEW_TYPING_SECONDS}::int * interval '1 second'
    )
    SELECT id FROM found`);
  return rows.length === 1;
}

/** The time has no zone, so sums and comparisons do not depend on a setting. */
const utc = (moment: string): SQL => sql.raw(`(${moment} AT TIME ZONE 'UTC')`);

export async function deletePresence(db: Queryable, orgId: string, id: string, userId: string): Promise<void> {
  await db.execute(sql`DELETE FROM conversation_presence
    WHERE org_id = ${orgId} AND conversation_id = ${id} AND user_id = ${userId}`);
}

/** Returns the other members who have the conversation open. Members who are writing come first. */
export async function readPresence(db: Queryable, orgId: string, id: string, userId: string): Promise<PresentMember[]> {
  const { rows } = await db.execute<PresentMember>(sql`SELECT user_id, coalesce(typing_until > now(), false) AS typing,
      CASE WHEN typing_until > now() THEN draft END AS draft
    FROM conversation_presence
    WHERE org_id = ${orgId} AND conversation_id = ${id} AND user_id <> ${userId} AND here_until > now()
    ORDER BY typing DESC, user_id LIMIT ${MAX_PRESENT}`);
  return rows;
}

export async function forgetPresenceOf(db: Queryable, orgId: string, userId: string): Promise<void> {
  await db.execute(sql`DELETE FROM conversation_presence WHERE org_id = ${orgId} AND user_id = ${userId}`);
}

/** Deletes expired rows of all organizations, up to a limit. */
export async function forgetPresence(pool: pg.Pool, limit: number): Promise<number> {
  const { rowCount } = await pool.query(
    `DELETE FROM conversation_presence WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM conversation_presence WHERE here_until < now() LIMIT $1 FOR UPDATE SKIP LOCKED))`,
    [limit],
  );
  return rowCount ?? 0;
}
