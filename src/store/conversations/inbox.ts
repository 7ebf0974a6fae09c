import { and, eq, inArray, type SQL, sql } from 'drizzle-orm';
import {
  type CONVERSATION_VIEWS,
  type ListedConversation,
  MAX_COUNTED,
} from '../../../contract/dashboard/conversations.ts';
import type { Message } from '../../../contract/messages.ts';
import type { Queryable } from '../db.ts';
import { checkedOnly } from '../queue/join-by-key.ts';
import { conversation, conversationSeen, message } from '../schema/conversation.ts';

/** The data that a list of conversations shows for one member in addition to the rows. */

export type ConversationView = (typeof CONVERSATION_VIEWS)[number];

const handedOff = sql`${conversation.status} = 'handed_off'`;

/** The snooze ends automatically at its time. */
const SNOOZED = sql`coalesce(${conversation.snoozedUntil} > now(), false)`;

const ofConversation = sql`FROM ${message} m
  WHERE m.org_id = ${conversation}.org_id AND m.conversation_id = ${conversation}.id`;

const REPLIED = sql`(SELECT max(m.created_at) ${ofConversation} AND m.role = 'member'
  AND m.created_at >= ${conversation.handedOffAt})`;

/** A person waits from the hand-off until a member replies, and again from the first message after the reply. */
export const WAITING_SINCE = sql`CASE WHEN ${handedOff} THEN coalesce(
  (SELECT min(m.created_at) ${ofConversation} AND m.role = 'end_user' AND m.created_at > ${REPLIED}),
  CASE WHEN ${REPLIED} IS NULL THEN coalesce(${conversation.handedOffAt}, ${conversation.createdAt}) END) END`;

const VIEWS: Record<ConversationView, (userId: string) => SQL> = {
  mine: (userId) => sql`${handedOff} AND ${conversation.assigneeId} = ${userId} AND NOT ${SNOOZED}`,
  unassigned: () => sql`${handedOff} AND ${conversation.assigneeId} IS NULL AND NOT ${SNOOZED}`,
  // The query in ./list.ts computes once for each conversation whether the conversation waits.
  waiting: () => sql`${handedOff} AND NOT ${SNOOZED}`,
  snoozed: () => sql`${handedOff} AND ${SNOOZED}`,
  // Includes every status, and mentions that the reader has seen.
  mentions: (userId) => sql`${conversation.id} IN (SELECT n.conversation_id FROM conversation_mention n
    WHERE n.user_id = ${userId} AND n.org_id = ${conversation.orgId})`,
};

export const inView = (view: ConversationView, userId: string): SQL => VIEWS[view](userId);

/** The length of the excerpt of the newest message in a list. */
const LAST_WORDS = 160;

export type Shown = {
  last: ListedConversation['last_message'];
  lastHuman: ListedConversation['last_human_message'];
  waitingSince: Date | null;
  unread: boolean;
};

const newestMessage = (matching: SQL, more: SQL): SQL => sql`(SELECT jsonb_build_object(
    'role', m.role, 'type', m.content ->> 'type', 'text', left(m.content ->> 'text', ${LAST_WORDS}),
    'created_at', to_char(m.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')${more})
  ${ofConversation} ${matching} ORDER BY m.created_at DESC, m.id DESC LIMIT 1)`;

/** The displayed data of each row, by the ID of the conversation. */
export async function readShown(
  db: Queryable,
  orgId: string,
  userId: string,
  ids: readonly string[],
): Promise<Map<string, Shown>> {
  const seen = sql`(SELECT ${conversationSeen.seenAt} FROM ${conversationSeen} WHERE ${conversationSeen}.org_id = ${orgId}
    AND ${conversationSeen}.conversation_id = ${conversation}.id AND ${conversationSeen}.user_id = ${userId})`;
  const rows = await db
    .select({
      id: conversation.id,
      last: sql<Shown['last']>`${newestMessage(sql``, sql``)}`,
      lastHuman: sql<
        Shown['lastHuman']
      >`${newestMessage(sql`AND m.role IN ('end_user', 'member')`, sql`, 'author_id', m.author_id`)}`,
      waitingSince: WAITING_SINCE.mapWith(conversation.handedOffAt).as('waiting_since'),
      unread: sql<boolean>`${handedOff} AND coalesce(greatest(${conversation.handedOffAt},
        (SELECT max(m.created_at) ${ofConversation} AND m.role = 'end_user')) > ${seen}, true)`,
    })
    .from(conversation)
    .where(and(eq(conversation.orgId, orgId), inArray(conversation.id, [...ids])));
  return new Map(rows.map(({ id, ...shown }) => [id, shown as Shown]));
}

/** Reads at most MAX_COUNTED rows of each index. */
export async function readCounts(
  db: Queryable,
  orgId: string,
  userId: string,
): Promise<{
  mine: number;
  unassigned: number;
  waiting: number;
  snoozed: number;
  mentions: number;
  all: number;
  newestId: string | null;
  newestAt: Date | null;
}> {
  const { rows } = await db.execute<{
    mine: number;
    unassigned: number;
    waiting: number;
    snoozed: number;
    mentions: number;
    all: number;
    newest_id: string | null;
    newest_at: Date | string | null;
  }>(sql`WITH with_team AS (
      SELECT id, assignee_id, handed_off_at, ${SNOOZED} AS snoozed, ${WAITING_SINCE} IS NOT NULL AS waits FROM conversation
      WHERE org_id = ${orgId} AND status = 'handed_off' ORDER BY id DESC LIMIT ${MAX_COUNTED}
    ), present AS (SELECT * FROM with_team WHERE NOT snoozed), newest AS (
      SELECT id, handed_off_at FROM present WHERE coalesce(assignee_id, ${userId}) = ${userId}
      ORDER BY handed_off_at DESC NULLS LAST, id DESC LIMIT 1
    )
    SELECT count(*) FILTER (WHERE assignee_id = ${userId})::int AS mine,
      count(*) FILTER (WHERE assignee_id IS NULL)::int AS unassigned,
      count(*) FILTER (WHERE waits)::int AS waiting, (SELECT count(*)::int FROM with_team WHERE snoozed) AS snoozed,
      (SELECT least(count(DISTINCT conversation_id), ${MAX_COUNTED})::int FROM conversation_mention
        WHERE org_id = ${orgId} AND user_id = ${userId} AND seen_at IS NULL) AS mentions,
      (SELECT count(*)::int FROM (SELECT FROM conversation WHERE org_id = ${orgId} LIMIT ${MAX_COUNTED}) AS c) AS all,
      (SELECT id FROM newest) AS newest_id, (SELECT handed_off_at FROM newest) AS newest_at
    FROM present`);
  const { newest_id: newestId, newest_at: newestAt, ...counts } = rows[0]!;
  return { ...counts, newestId, newestAt: newestAt === null ? null : new Date(newestAt) };
}

/** Removes the assignment from conversations of a person who may no longer answer. */
export async function releaseConversationsOf(db: Queryable, orgId: string, userId: string): Promise<void> {
  await db.execute(sql`UPDATE conversation SET assignee_id = NULL
    WHERE org_id = ${orgId} AND status = 'handed_off' AND assignee_id = ${userId}`);
}

export async function forgetSeenBy(db: Queryable, orgId: string, userId: string): Promise<void> {
  await db.execute(sql`DELETE FROM conversation_seen WHERE org_id = ${orgId} AND user_id = ${userId}`);
}

/** Returns false if the conversation does not exist. */
export async function writeSeen(db: Queryable, orgId: string, id: string, userId: string): Promise<boolean> {
  const { rowCount } = await db.execute(sql`INSERT INTO conversation_seen (org_id, conversation_id, user_id, seen_at)
    SELECT org_id, id, ${userId}, clock_timestamp() FROM conversation WHERE org_id = ${orgId} AND id = ${id}
    ON CONFLICT (org_id, conversation_id, user_id) DO UPDATE SET seen_at = excluded.seen_at`);
  await db.execute(sql`UPDATE conversation_mention SET seen_at = statement_timestamp()
    WHERE org_id = ${orgId} AND conversation_id = ${id} AND user_id = ${userId} AND seen_at IS NULL`);
  return rowCount === 1;
}

export type Match = { role: Message['role']; text: string };

/** A search examines at most this many of the newest messages of a conversation. */
const EXAMINED_MESSAGES = 200;

/** The newest message with the searched text, and its author, by the ID of the conversation. */
export async function readMatches(
  db: Queryable,
  orgId: string,
  ids: readonly string[],
  pattern: string,
): Promise<Map<string, Match>> {
  const { rows } = await db.execute<Match & { id: string }>(sql`SELECT w.id, m.role, m.text
    FROM unnest(${sql.param([...ids])}::text[]) AS w(id)
    CROSS JOIN LATERAL (SELECT newest.role, newest.text FROM (
      SELECT id, role, content ->> 'text' AS text FROM message
      WHERE conversation_id = w.id AND ${sql.raw(checkedOnly('org_id'))} = ${orgId}
      ORDER BY created_at DESC LIMIT ${EXAMINED_MESSAGES}) newest
    WHERE newest.text ILIKE ${pattern} ORDER BY newest.id DESC LIMIT 1) m`);
  return new Map(rows.map(({ id, ...match }) => [id, match]));
}
