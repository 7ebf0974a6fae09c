import { and, eq, sql } from 'drizzle-orm';
import type { Queryable } from '../db.ts';
import { channel } from '../schema/channel.ts';
import { conversation } from '../schema/conversation.ts';
import { holdEndUser } from './lock-end-users.ts';

export type PersonOf = { endUserId: string; channelKind: string };

/**
 * Locks the person of a conversation. The caller locks the conversation later, so that the transaction may change both.
 * Returns null if the conversation does not exist.
 */
export async function holdPersonOf(tx: Queryable, orgId: string, conversationId: string): Promise<PersonOf | null> {
  const [found] = await tx
    .select({ endUserId: conversation.endUserId, channelKind: channel.kind })
    .from(conversation)
    .innerJoin(channel, and(eq(channel.orgId, conversation.orgId), eq(channel.id, conversation.channelId)))
    .where(and(eq(conversation.orgId, orgId), eq(conversation.id, conversationId)));
  return found && (await holdEndUser(tx, orgId, found.endUserId)) ? found : null;
}

/** The texts of the messages that wait for a turn of the agent. */
export async function readWaitingTexts(tx: Queryable, orgId: string, conversationId: string): Promise<string[]> {
  const { rows } = await tx.execute<{ text: string }>(sql`SELECT m.content ->> 'text' AS text
    FROM conversation c JOIN message m ON m.org_id = c.org_id AND m.conversation_id = c.id AND m.id = ANY (c.unanswered)
    WHERE c.org_id = ${orgId} AND c.id = ${conversationId} AND m.content ->> 'text' <> ''`);
  return rows.map(({ text }) => text);
}
