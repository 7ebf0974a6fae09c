import type { MessageContent } from '../../../contract/messages.ts';
import { Refusal } from '../../../contract/problems.ts';
import { asksToStop } from '../../engine/stop-words.ts';
import { newId } from '../../kernel/ids.ts';
import { storeArrivedMessage } from '../../store/conversations/message-arrives.ts';
import { lockConversation } from '../../store/conversations/write.ts';
import type { Queryable } from '../../store/db.ts';
import { holdPersonOf } from '../../store/end-users/hold-person-of.ts';
import { setConsent } from '../../store/end-users/set-consent.ts';
import { moreMessagesWaitMs } from '../../store/runs/more-messages-wait.ts';
import { receiveRating } from './receive-rating.ts';

type KeepOptions = {
  requestId: string | null;
  /** The sender's ID of the message. */
  providerMessageId?: string | null;
  metadata?: Readonly<Record<string, string>> | null;
  /** True: more messages may follow soon, which need the same answer. False if the turn starts immediately. */
  waitsForMore?: boolean;
  /** The turn waits this long for the transcript of audio. The transcript starts the turn before this time. */
  waitMs?: number;
  /** True: the text is a placeholder for a file that is still at the provider. */
  isFile?: boolean;
};

/**
 * Stores an end user's message (src/store/conversations/message-arrives.ts). Returns the ID of the message and the run
 * that will answer it, if there is such a run. A message that answers the survey of a resolved conversation counts only
 * as a rating.
 */
export async function keepMessage(
  tx: Queryable,
  orgId: string,
  conversationId: string,
  content: MessageContent,
  {
    requestId,
    providerMessageId = null,
    metadata = null,
    waitsForMore = false,
    waitMs = 0,
    isFile = false,
  }: KeepOptions,
): Promise<{ messageId: string; runId: string | null }> {
  const optOut = await optOutOf(tx, orgId, conversationId, content);
  const conversation = await lockConversation(tx, orgId, conversationId);
  if (!conversation) throw new Refusal('conversation_not_found');
  // The ID is created under the lock of the conversation, so the order of IDs is the order of arrival.
  const messageId = newId('msg');
  const message = { id: messageId, content, providerMessageId, metadata };
  if (conversation.status === 'resolved' && !isFile) {
    if (await receiveRating(tx, orgId, { ...message, conversationId })) return { messageId, runId: null };
  }
  if (conversation.status === 'handed_off') await optOut?.();
  const runId = await storeArrivedMessage(tx, message, {
    orgId,
    id: conversationId,
    isSilent: conversation.status === 'handed_off',
    runId: conversation.runId,
    requestId,
    afterMs: Math.max(waitMs, waitsForMore ? moreMessagesWaitMs(conversation.firstUnanswered) : 0),
  });
  return { messageId, runId };
}

/** True if the text is an opt-out, so that its message is stored alone. */
export const isOptOut = (content: MessageContent): boolean => content.type === 'text' && asksToStop([content.text]);

/**
 * Returns how to opt the person out, or null for any other message. While the team answers a conversation, no turn reads
 * its messages, so the opt-out is stored with its message. The person is locked before the conversation, as everywhere.
 */
async function optOutOf(
  tx: Queryable,
  orgId: string,
  conversationId: string,
  content: MessageContent,
): Promise<(() => Promise<void>) | null> {
  if (!isOptOut(content)) return null;
  const person = await holdPersonOf(tx, orgId, conversationId);
  return person && (() => setConsent(tx, orgId, person.endUserId, person.channelKind, 'opted_out', 'stop_word'));
}
