import { and, eq, inArray, sql } from 'drizzle-orm';
import { newId } from '../../kernel/ids.ts';
import type { Queryable } from '../db.ts';
import { conversation, message } from '../schema/conversation.ts';

/**
 * The condition of the index `message_missed`: the agent noted that it had no answer, and no one has closed this entry.
 */
const IS_MISSED = sql.raw(`m.trace @> '{"steps": [{"kind": "miss"}]}' AND NOT m.trace ? 'settled'`);
/** The agent asked which section was meant, and the person chose one, so the next turn contains the answer. */
const IS_CHOSEN = sql`m.trace @> '{"steps": [{"kind": "ask_back"}]}' AND coalesce((
  SELECT next.trace @> '{"steps": [{"kind": "chosen"}]}' FROM message next
  WHERE next.conversation_id = m.conversation_id AND next.role = 'agent' AND next.created_at > m.created_at
  ORDER BY next.created_at LIMIT 1
), false)`;

export type Missed = {
  messageId: string;
  agentId: string;
  conversationId: string;
  endUserId: string;
  at: Date;
  /** The question that the agent noted, or else the person's last message before the note. */
  text: string;
};

/** The questions that an agent could not answer since a given time, newest first. Null: all agents. */
export async function readMissed(
  db: Queryable,
  orgId: string,
  agentId: string | null,
  since: Date,
  limit: number,
): Promise<Missed[]> {
  const ofAgent =
    agentId === null
      ? // An answer for an agent that is gone would help no one.
        sql`EXISTS (SELECT 1 FROM agent a WHERE a.org_id = m.org_id AND a.id = agent_id AND a.deleted_at IS NULL)`
      : sql`agent_id = ${agentId}`;
  const { rows } = await db.execute<{
    id: string;
    agent_id: string;
    conversation_id: string;
    end_user_id: string;
    at: Date;
    text: string;
  }>(
    sql`SELECT m.id, m.conversation_id, c.agent_id, c.end_user_id, m.created_at AS at, q.text
      FROM (
        SELECT m.* FROM message m
        WHERE m.org_id = ${orgId} AND m.id >= ${newId('msg', since.getTime()).slice(0, 14)} AND ${IS_MISSED}
        ORDER BY m.id DESC LIMIT ${MAX_OF_ALL_AGENTS}
      ) m
      CROSS JOIN LATERAL (
        SELECT agent_id, end_user_id FROM conversation
        WHERE org_id = m.org_id AND id = m.conversation_id AND ${ofAgent}
      ) c
      CROSS JOIN LATERAL (
        SELECT left(coalesce((
          SELECT step->>'question' FROM jsonb_array_elements(m.trace->'steps') step WHERE step->>'kind' = 'miss' LIMIT 1
        ), content->>'text'), ${MAX_QUESTION}) AS text FROM message
        -- By the conversation alone, as count-day.ts explains.
        WHERE conversation_id = m.conversation_id AND role = 'end_user' AND created_at <= m.created_at
        ORDER BY created_at DESC LIMIT 1
      ) q
      WHERE q.text <> '' AND NOT (${IS_CHOSEN})
      ORDER BY m.id DESC LIMIT ${limit}`,
  );
  return rows.map((row) => ({
    messageId: row.id,
    agentId: row.agent_id,
    conversationId: row.conversation_id,
    endUserId: row.end_user_id,
    at: new Date(row.at),
    text: row.text,
  }));
}

const MAX_QUESTION = 1_000;
/**
 * The maximum number of missed questions of all agents together. The list of an agent with few missed questions does
 * not read all missed questions of other agents.
 */
const MAX_OF_ALL_AGENTS = 20_000;

/** Removes missed questions from the list and returns the number of removed questions. */
export async function closeMissed(
  db: Queryable,
  orgId: string,
  agentId: string,
  messageIds: readonly string[],
): Promise<number> {
  const ofAgent = db
    .select({ id: conversation.id })
    .from(conversation)
    .where(
      and(
        eq(conversation.orgId, orgId),
        eq(conversation.agentId, agentId),
        eq(conversation.id, message.conversationId),
      ),
    );
  const closed = await db
    .update(message)
    .set({ trace: sql`${message.trace} || '{"settled": true}'` })
    .where(
      and(
        eq(message.orgId, orgId),
        inArray(message.id, [...messageIds]),
        sql`${message.trace} @> '{"steps": [{"kind": "miss"}]}' AND NOT ${message.trace} ? 'settled'`,
        sql`EXISTS (${ofAgent})`,
      ),
    )
    .returning({ id: message.id });
  return closed.length;
}
