import type { ChannelMessage, DeliveryStatus } from '../../../contract/channels.ts';
import { Refusal } from '../../../contract/problems.ts';
import { timestamp } from '../../kernel/clock.ts';
import { findSentMessage } from '../../store/messages/read.ts';
import type { MessagesDeps } from './deps.ts';

/** Reads one outbound message, with its status and the reason for the status. */
export async function readMessage(
  { db }: Pick<MessagesDeps, 'db'>,
  orgId: string,
  channelId: string,
  id: string,
): Promise<ChannelMessage> {
  const row = await findSentMessage(db, orgId, channelId, id);
  if (!row) throw new Refusal('message_not_found');
  return {
    id: row.id,
    status: row.status as DeliveryStatus,
    channel_id: row.channelId,
    conversation_id: row.conversationId,
    end_user_id: row.endUserId,
    content: row.content,
    reply_to: row.replyTo,
    metadata: row.metadata ?? {},
    send_at: row.sendAt && timestamp(row.sendAt),
    attempts: row.attempts,
    error: row.error,
    provider_message_id: row.providerMessageId,
    possible_duplicate: row.possibleDuplicate,
    created_at: timestamp(row.createdAt),
  };
}
