import type { Message } from '../../../contract/messages.ts';
import { Refusal } from '../../../contract/problems.ts';
import { findConversation, listAnswersAfter } from '../../store/conversations/read.ts';
import { presentMessage } from '../../store/messages/present.ts';
import type { ConversationsDeps } from './deps.ts';
import { keepMessage } from './keep-message.ts';

type Deps = Pick<ConversationsDeps, 'db' | 'waiter' | 'onAccepted'>;

/** One response contains at most this many messages. */
const MAX_ANSWERS = 50;

/** Stores an end user's message in a separate transaction (keep-message.ts). */
export async function receiveMessage(
  { db, onAccepted }: Pick<Deps, 'db' | 'onAccepted'>,
  orgId: string,
  conversationId: string,
  text: string,
  requestId: string | null,
): Promise<{ messageId: string; runId: string | null }> {
  const stored = await db.transaction((tx) =>
    keepMessage(tx, orgId, conversationId, { type: 'text', text }, { requestId }),
  );
  if (stored.runId !== null) onAccepted();
  return stored;
}

/** Sends a message as the end user on the sandbox channel and waits for the agent's turn. */
export async function sayInConversation(
  deps: Deps,
  orgId: string,
  conversationId: string,
  text: string,
  options: { requestId: string; waitMs: number },
): Promise<{ messages: Message[] }> {
  const conversation = await findConversation(deps.db, orgId, conversationId);
  if (!conversation) throw new Refusal('conversation_not_found');
  if (conversation.channelKind !== 'sandbox') {
    throw new Refusal('channel_unsupported', 'You can write as the end user only on a sandbox channel.');
  }
  const { messageId, runId } = await receiveMessage(deps, orgId, conversationId, text, options.requestId);
  if (runId === null) return { messages: [] };
  await deps.waiter.wait({ orgId, runId }, options.waitMs, (progress) => !progress.due);
  const answers = await listAnswersAfter(deps.db, orgId, conversationId, messageId, MAX_ANSWERS);
  return { messages: answers.map(presentMessage) };
}
