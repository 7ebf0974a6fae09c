import type { ConversationMessage, ReplyBody } from '../../../contract/dashboard/conversations.ts';
import type { MessageContent } from '../../../contract/messages.ts';
import { Refusal } from '../../../contract/problems.ts';
import { channelKinds } from '../../channels/kinds.ts';
import { newId } from '../../kernel/ids.ts';
import { insertAttachment } from '../../store/attachments/attachments.ts';
import { findConversation, hasReplyOfOthers } from '../../store/conversations/read.ts';
import { insertMessage } from '../../store/conversations/write.ts';
import type { Queryable } from '../../store/db.ts';
import { lockMembers } from '../../store/members/members.ts';
import type { Actor } from '../../store/organizations/audit.ts';
import type { MessageRow } from '../../store/runs/read.ts';
import type { ConversationsDeps } from './deps.ts';
import { actWithReply } from './act-with-reply.ts';
import { assignToActor, giveToPeople, lockForMember } from './hand-over.ts';
import { newAttachment, type SentFile } from './new-attachment.ts';
import { presentConversationMessage } from './read-conversations.ts';
import { acceptsText } from './reply-window.ts';

/**
 * `after`: the newest message that the writer of the reply has read. Without `after`, the check for replies of other
 * members is skipped.
 */
type Reply = ReplyBody & { after?: string | undefined };
type FileReply = SentFile & { after?: string | undefined };

/** Sends the reply of a member. The worker delivers the message like a message of the agent. */
export async function replyInConversation(
  { db }: Pick<ConversationsDeps, 'db'>,
  orgId: string,
  id: string,
  { text, template, actions, after }: Reply,
  actor: Actor,
): Promise<ConversationMessage> {
  const content = contentOf(text, template);
  const row = await db.transaction(async (tx) => {
    // Members are locked before the conversation, as in an assignment.
    if (actions?.assign_to !== undefined) await lockMembers(tx, orgId);
    await silenceAgent(tx, orgId, id, after, actor);
    const sent = await answerAsPerson(tx, orgId, id, content, actor);
    if (actions) await actWithReply(tx, orgId, id, actions, actor);
    return sent;
  });
  return presentConversationMessage(row);
}

function contentOf(text: ReplyBody['text'], template: ReplyBody['template']): MessageContent {
  if (template !== undefined && text === undefined) return { type: 'template', ...template };
  if (text !== undefined && template === undefined) return { type: 'text', text };
  throw new Refusal('validation_failed', 'A reply has either a text or a template.');
}

/** Sends the file of a member, which is a reply like any other. */
export async function sendFileInConversation(
  { db, baseUrl }: Pick<ConversationsDeps, 'db' | 'baseUrl'>,
  orgId: string,
  id: string,
  { after, ...file }: FileReply,
  actor: Actor,
): Promise<ConversationMessage> {
  const row = await db.transaction(async (tx) => {
    await silenceAgent(tx, orgId, id, after, actor);
    const { row: sent, content } = await newAttachment({ db: tx, baseUrl }, orgId, file);
    const message = await answerAsPerson(tx, orgId, id, content, actor);
    await insertAttachment(tx, orgId, { ...sent, messageId: message.id });
    return message;
  });
  return presentConversationMessage(row);
}

/**
 * The lock ensures that agent and member never both answer, and that two members do not answer without noticing each
 * other. A member who replies to a conversation without an assignee becomes its assignee. An existing assignee does not
 * change.
 */
async function silenceAgent(
  tx: Queryable,
  orgId: string,
  id: string,
  after: string | undefined,
  actor: Actor,
): Promise<void> {
  const { status, assigneeId, runId } = await lockForMember(tx, orgId, id, actor);
  if (after !== undefined && (await hasReplyOfOthers(tx, orgId, id, after, actor.userId)))
    throw new Refusal('reply_outdated');
  if (status === 'handed_off' && assigneeId !== null) await giveToPeople(tx, orgId, { id, runId }, assigneeId);
  else await assignToActor(tx, orgId, { id, runId }, actor);
}

async function answerAsPerson(
  tx: Queryable,
  orgId: string,
  id: string,
  content: MessageContent,
  actor: Actor,
): Promise<MessageRow> {
  const conversation = await findConversation(tx, orgId, id);
  const kind = channelKinds.get(conversation!.channelKind);
  // On channels that do not support this content, it becomes text.
  if (content.type === 'template' && kind?.capabilities.content.includes('template') !== true)
    throw new Refusal('content_unsupported');
  if (content.type !== 'template' && !(await acceptsText(tx, kind, orgId, id)))
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
