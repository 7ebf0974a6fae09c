import type { ConversationMessage, ConversationSummary, ReplyBody } from '../../../contract/dashboard/conversations.ts';
import type { MessageContent } from '../../../contract/messages.ts';
import { Refusal } from '../../../contract/problems.ts';
import { isAtLeast } from '../../access/sessions/session-gate.ts';
import { channelKinds } from '../../channels/kinds.ts';
import { newId } from '../../kernel/ids.ts';
import { insertAttachment } from '../../store/attachments/attachments.ts';
import { findConversation } from '../../store/conversations/read.ts';
import { insertMessage, lockConversation, setRunStatus, updateConversation } from '../../store/conversations/write.ts';
import { type Actor, recordAudit } from '../../store/organizations/audit.ts';
import type { Db, Queryable } from '../../store/db.ts';
import { holdMember } from '../../store/members/members.ts';
import type { MessageRow } from '../../store/runs/read.ts';
import { newAttachment, type SentFile } from './new-attachment.ts';
import { presentConversationMessage, summarizeConversation } from './read-conversations.ts';
import { takesWords } from './reply-window.ts';
import type { ConversationsDeps } from './deps.ts';

/** A human takes over: the agent is silent from now on, and a turn in progress is discarded. */
export async function takeOverConversation(
  { db }: { db: Db },
  orgId: string,
  id: string,
  actor: Actor,
): Promise<ConversationSummary> {
  await db.transaction((tx) => takeOver(tx, orgId, id, actor));
  return summarizeConversation({ db }, orgId, id);
}

/** A removal, which takes the conversations of the person away, comes before or after. Members are locked first. */
async function holdActor(tx: Queryable, orgId: string, { userId }: Actor): Promise<void> {
  const role = await holdMember(tx, orgId, userId);
  if (role === null) throw new Refusal('organization_not_found');
  if (!isAtLeast(role, 'member')) throw new Refusal('role_missing', `This needs the role member; yours is ${role}.`);
}

async function takeOver(tx: Queryable, orgId: string, id: string, actor: Actor): Promise<void> {
  await holdActor(tx, orgId, actor);
  const conversation = await lockConversation(tx, orgId, id);
  if (!conversation) throw new Refusal('conversation_not_found');
  await recordAudit(tx, { orgId, actor, action: 'conversation.taken_over', subjectId: id });
  await giveToPeople(tx, orgId, { id, runId: conversation.runId }, actor.userId);
}

/** The agent is silent from now on; the caller has locked the conversation. */
export async function giveToPeople(
  tx: Queryable,
  orgId: string,
  { id, runId }: { id: string; runId: string | null },
  assigneeId: string,
): Promise<void> {
  await updateConversation(tx, orgId, id, { status: 'handed_off', assigneeId, forgetUnanswered: true });
  if (runId !== null) {
    await setRunStatus(tx, orgId, runId, {
      from: ['queued', 'running', 'waiting_for_user'],
      to: 'handed_off',
    });
  }
}

/** Back to the agent: it answers from the end user's next message on. */
export async function handBackConversation(
  { db }: { db: Db },
  orgId: string,
  id: string,
  actor: Actor,
): Promise<ConversationSummary> {
  await db.transaction(async (tx) => {
    const conversation = await lockConversation(tx, orgId, id);
    if (!conversation) throw new Refusal('conversation_not_found');
    if (conversation.status !== 'handed_off') return;
    await recordAudit(tx, { orgId, actor, action: 'conversation.handed_back', subjectId: id });
    await updateConversation(tx, orgId, id, { status: 'open', assigneeId: null });
    if (conversation.runId !== null) {
      await setRunStatus(tx, orgId, conversation.runId, { from: ['handed_off'], to: 'waiting_for_user' });
    }
  });
  return summarizeConversation({ db }, orgId, id);
}

/** Closes the conversation: the next message of the end user opens it again. */
export async function resolveConversation(
  { db }: { db: Db },
  orgId: string,
  id: string,
  actor: Actor,
): Promise<ConversationSummary> {
  await db.transaction(async (tx) => {
    const conversation = await lockConversation(tx, orgId, id);
    if (!conversation) throw new Refusal('conversation_not_found');
    await recordAudit(tx, { orgId, actor, action: 'conversation.resolved', subjectId: id });
    await updateConversation(tx, orgId, id, { status: 'resolved', assigneeId: null, forgetUnanswered: true });
    if (conversation.runId !== null) {
      await setRunStatus(tx, orgId, conversation.runId, {
        from: ['queued', 'running', 'waiting_for_user', 'handed_off'],
        to: 'completed',
        reason: 'resolved',
      });
    }
  });
  return summarizeConversation({ db }, orgId, id);
}

/**
 * A member answers as a human. A member who writes takes over first, so that the agent and a human never both answer.
 * The worker delivers such a message like the agent's own.
 */
export async function replyInConversation(
  { db }: Pick<ConversationsDeps, 'db'>,
  orgId: string,
  id: string,
  { text, template }: ReplyBody,
  actor: Actor,
): Promise<ConversationMessage> {
  const content: MessageContent =
    template === undefined ? { type: 'text', text: text! } : { type: 'template', ...template };
  const row = await db.transaction(async (tx) => {
    await takeOver(tx, orgId, id, actor);
    return answerAsPerson(tx, orgId, id, content, actor);
  });
  return presentConversationMessage(row);
}

/** A member sends a file; it is an answer as any other. */
export async function sendFileInConversation(
  { db, baseUrl }: Pick<ConversationsDeps, 'db' | 'baseUrl'>,
  orgId: string,
  id: string,
  file: SentFile,
  actor: Actor,
): Promise<ConversationMessage> {
  const row = await db.transaction(async (tx) => {
    await takeOver(tx, orgId, id, actor);
    const { row: sent, content } = await newAttachment({ db: tx, baseUrl }, orgId, file);
    const message = await answerAsPerson(tx, orgId, id, content, actor);
    await insertAttachment(tx, orgId, { ...sent, messageId: message.id });
    return message;
  });
  return presentConversationMessage(row);
}

/** The caller has taken the conversation over. */
async function answerAsPerson(
  tx: Queryable,
  orgId: string,
  id: string,
  content: MessageContent,
  actor: Actor,
): Promise<MessageRow> {
  const conversation = await findConversation(tx, orgId, id);
  const kind = channelKinds.get(conversation!.channelKind);
  // Anything else is put in words where the channel does not take it.
  if (content.type === 'template' && kind?.capabilities.content.includes('template') !== true)
    throw new Refusal('content_unsupported');
  if (content.type !== 'template' && !(await takesWords(tx, kind, orgId, id)))
    throw new Refusal('session_window_closed');
  const isDelivered = kind?.byStoring === true;
  return insertMessage(tx, orgId, {
    id: newId('msg'),
    conversationId: id,
    runId: null,
    role: 'member',
    content,
    status: isDelivered ? 'delivered' : 'queued',
    isDue: !isDelivered,
    authorId: actor.userId,
  });
}
