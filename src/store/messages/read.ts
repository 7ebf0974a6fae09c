import { and, eq, isNotNull } from 'drizzle-orm';
import type { Queryable } from '../db.ts';
import { conversation, message } from '../schema/conversation.ts';

const columns = {
  id: message.id,
  status: message.status,
  conversationId: message.conversationId,
  endUserId: conversation.endUserId,
  channelId: conversation.channelId,
  content: message.content,
  replyTo: message.replyTo,
  metadata: message.metadata,
  sendAt: message.sendAt,
  attempts: message.attempts,
  error: message.error,
  providerMessageId: message.providerMessageId,
  possibleDuplicate: message.possibleDuplicate,
  createdAt: message.createdAt,
};

const select = (db: Queryable, orgId: string, channelId: string, id: string) =>
  db
    .select(columns)
    .from(message)
    .innerJoin(conversation, and(eq(conversation.orgId, message.orgId), eq(conversation.id, message.conversationId)))
    // An inbound message has no delivery status and is read with its conversation.
    .where(
      and(
        eq(message.orgId, orgId),
        eq(message.id, id),
        isNotNull(message.status),
        eq(conversation.channelId, channelId),
      ),
    );

export type SentMessageRow = Awaited<ReturnType<typeof select>>[number];

/** A sent or scheduled message on this channel. */
export async function findSentMessage(
  db: Queryable,
  orgId: string,
  channelId: string,
  id: string,
): Promise<SentMessageRow | null> {
  const [row] = await select(db, orgId, channelId, id);
  return row ?? null;
}
