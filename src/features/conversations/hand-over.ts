import type { ConversationMessage, ConversationSummary } from '../../../contract/dashboard/conversations.ts';
import { Refusal } from '../../../contract/problems.ts';
import { newId } from '../../kernel/ids.ts';
import { insertMessage, lockConversation, setRunStatus, updateConversation } from '../../store/conversations.ts';
import type { Db } from '../../store/db.ts';
import { presentConversationMessage, summarizeConversation } from './read-conversations.ts';

/** A person takes over: the agent is silent from now on, a turn under way is thrown away. */
export async function takeOverConversation(
  db: Db,
  orgId: string,
  id: string,
  memberId: string,
): Promise<ConversationSummary> {
  await db.transaction(async (tx) => {
    const conversation = await lockConversation(tx, orgId, id);
    if (!conversation) throw new Refusal('conversation_not_found');
    await updateConversation(tx, orgId, id, { status: 'handed_off', assigneeId: memberId, forgetUnanswered: true });
    if (conversation.runId !== null) {
      await setRunStatus(tx, orgId, conversation.runId, {
        from: ['queued', 'running', 'waiting_for_user'],
        to: 'handed_off',
      });
    }
  });
  return summarizeConversation(db, orgId, id);
}

/** Back to the agent: it answers from the end user's next message on. */
export async function handBackConversation(db: Db, orgId: string, id: string): Promise<ConversationSummary> {
  await db.transaction(async (tx) => {
    const conversation = await lockConversation(tx, orgId, id);
    if (!conversation) throw new Refusal('conversation_not_found');
    if (conversation.status !== 'handed_off') return;
    await updateConversation(tx, orgId, id, { status: 'open', assigneeId: null });
    if (conversation.runId !== null) {
      await setRunStatus(tx, orgId, conversation.runId, { from: ['handed_off'], to: 'waiting_for_user' });
    }
  });
  return summarizeConversation(db, orgId, id);
}

/** Done: the next message of the end user opens it again. */
export async function resolveConversation(db: Db, orgId: string, id: string): Promise<ConversationSummary> {
  await db.transaction(async (tx) => {
    const conversation = await lockConversation(tx, orgId, id);
    if (!conversation) throw new Refusal('conversation_not_found');
    await updateConversation(tx, orgId, id, { status: 'resolved', assigneeId: null, forgetUnanswered: true });
    if (conversation.runId !== null) {
      await setRunStatus(tx, orgId, conversation.runId, {
        from: ['queued', 'running', 'waiting_for_user', 'handed_off'],
        to: 'completed',
        reason: 'resolved',
      });
    }
  });
  return summarizeConversation(db, orgId, id);
}

/** A member answers as a person. Whoever writes takes over first, so that the agent and a person never both answer. */
export async function replyInConversation(
  db: Db,
  orgId: string,
  id: string,
  text: string,
  memberId: string,
): Promise<ConversationMessage> {
  const { channel_kind: kind } = await takeOverConversation(db, orgId, id, memberId);
  // On the sandbox a message is delivered by being stored; elsewhere the delivery worker takes it from here.
  const stored = kind === 'sandbox' ? { status: 'delivered' } : { status: 'queued', dueAt: new Date() };
  const row = await insertMessage(db, orgId, {
    id: newId('msg'),
    conversationId: id,
    runId: null,
    role: 'member',
    content: { type: 'text', text },
    ...stored,
    authorId: memberId,
  });
  return presentConversationMessage(row);
}
