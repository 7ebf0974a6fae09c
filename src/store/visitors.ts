import { sql } from 'drizzle-orm';
import type pg from 'pg';
import type { ChatRating } from '../../contract/chat.ts';
import type { MessageContent, MessageSource } from '../../contract/messages.ts';
import { SURVEY_DAYS } from '../../contract/ratings.ts';
import type { Queryable } from './db.ts';
import { byKey, checkedOnly } from './queue/join-by-key.ts';

/** A visitor of a web chat, identified by an address on a channel. */
export type VisitorPlace = { orgId: string; channelId: string; address: string };

/** The part of a message that a visitor sees. */
export type VisitorMessageRow = {
  id: string;
  role: 'agent' | 'end_user' | 'member';
  content: MessageContent;
  sources: MessageSource[];
  status: string | null;
  provider_message_id: string | null;
  created_at: Date;
  /** The rating of an answer or of a survey. Null: the message is neither a score nor a comment. */
  rating: ChatRating | null;
  /** The name of the member who wrote the message. */
  author: string | null;
};

/**
 * The chat reads at most this many conversations of one visitor. A visitor normally has one conversation, unless a
 * backend starts more.
 */
export const MAX_CONVERSATIONS = 5;
const RATING = `CASE WHEN m.role = 'agent' THEN coalesce(
    (SELECT json_build_object('kind', g.kind, 'score', g.score, 'comment', g.comment) FROM rating g
      WHERE g.org_id = m.org_id AND g.conversation_id = m.conversation_id AND g.message_id = m.id),
    CASE WHEN m.run_id IS NOT NULL THEN json_build_object('kind', 'answer', 'score', null, 'comment', null) END) END`;
export const VISITOR_COLUMNS = `m.id, m.role, m.content, m.sources, m.status, m.provider_message_id, m.created_at, ${RATING} AS rating,
  CASE WHEN m.role = 'member' THEN (SELECT u.name FROM "user" u WHERE u.id = m.author_id) END AS author`;
/** Scheduled messages, paused messages and internal notes are not visible to the visitor. */
export const VISIBLE = `(m.role = 'end_user' OR
  m.role IN ('agent', 'member') AND m.status IN ('sent', 'delivered', 'read'))`;

const HISTORY = `
SELECT ${VISITOR_COLUMNS} FROM (
  SELECT c.id FROM conversation c WHERE c.org_id = $1 AND c.channel_id = $2 AND c.address = $3
  ORDER BY c.id DESC LIMIT ${MAX_CONVERSATIONS}
) c JOIN LATERAL (
  SELECT * FROM message m WHERE m.org_id = $1 AND m.conversation_id = c.id AND ${VISIBLE}
    AND ($4::text IS NULL OR m.id < $4)
  ORDER BY m.created_at DESC, m.id DESC LIMIT $5
) m ON true
ORDER BY m.id DESC LIMIT $5`;

/** The newest messages of the visitor before a given message, newest first. */
export async function listVisitorMessages(
  pool: pg.Pool,
  { orgId, channelId, address }: VisitorPlace,
  { before, limit }: { before: string | null; limit: number },
): Promise<VisitorMessageRow[]> {
  const found = await pool.query<VisitorMessageRow>({
    name: 'list-visitor-messages',
    text: HISTORY,
    values: [orgId, channelId, address, before, limit],
  });
  return found.rows;
}

export const FIND = `SELECT ${VISITOR_COLUMNS}, e.blocked
    OR coalesce(e.consent -> 'web_chat' ->> 'status', '') = 'opted_out' AS unheard
  FROM message m
  ${byKey('conversation c', 'c.org_id = m.org_id AND c.id = m.conversation_id')}
  ${byKey('end_user e', 'e.org_id = c.org_id AND e.id = c.end_user_id')}
  WHERE m.org_id = $1 AND m.provider_message_id = $4 AND c.channel_id = $2 AND c.address = $3
    AND m.role = 'end_user' LIMIT 1`;

/** Finds the message that a widget has sent with this ID. `unheard`: the visitor has opted out or is blocked. */
export async function findVisitorMessage(
  pool: pg.Pool,
  { orgId, channelId, address }: VisitorPlace,
  providerMessageId: string,
): Promise<(VisitorMessageRow & { unheard: boolean }) | null> {
  const found = await pool.query<VisitorMessageRow & { unheard: boolean }>({
    name: 'find-visitor-message',
    text: FIND,
    values: [orgId, channelId, address, providerMessageId],
  });
  return found.rows[0] ?? null;
}

export type Ratable = { conversationId: string; isAnswer: boolean; isFresh: boolean };

/**
 * Finds the message of the agent, if this visitor received it. `isFresh`: the survey of the message still accepts a
 * score.
 */
export async function findRatable(
  tx: Queryable,
  { orgId, channelId, address }: VisitorPlace,
  messageId: string,
): Promise<Ratable | null> {
  const { rows } = await tx.execute<Ratable>(sql`SELECT c.id AS "conversationId", m.run_id IS NOT NULL AS "isAnswer",
      m.created_at > now() - ${SURVEY_DAYS}::int * interval '1 day' AS "isFresh"
    FROM message m ${sql.raw(byKey('conversation c', 'c.org_id = m.org_id AND c.id = m.conversation_id'))}
    WHERE m.org_id = ${orgId} AND m.id = ${messageId} AND c.channel_id = ${channelId} AND c.address = ${address}
      AND m.role = 'agent' AND ${sql.raw(VISIBLE)}`);
  return rows[0] ?? null;
}

export const UNREAD = `SELECT m.provider_message_id FROM conversation c
  JOIN message m ON ${checkedOnly('m.org_id')} = c.org_id AND m.conversation_id = c.id
  WHERE c.org_id = $1 AND c.channel_id = $2 AND c.address = $3 AND m.id <= $4 AND m.role <> 'end_user'
    AND m.status IN ('sent', 'delivered') AND m.provider_message_id IS NOT NULL
  ORDER BY m.created_at DESC LIMIT $5`;

/**
 * Messages that the visitor has not seen, up to a given message, newest first. The messages are identified by their
 * provider IDs, because Parley is the provider.
 */
export async function listUnread(
  pool: pg.Pool,
  { orgId, channelId, address }: VisitorPlace,
  upTo: string,
  limit: number,
): Promise<string[]> {
  const found = await pool.query<{ provider_message_id: string }>({
    name: 'list-unread',
    text: UNREAD,
    values: [orgId, channelId, address, upTo, limit],
  });
  return found.rows.map((row) => row.provider_message_id);
}
