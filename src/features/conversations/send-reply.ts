import type { ConversationMessage, ReplyBody } from '../../../contract/dashboard/conversations.ts';
import { findConversation } from '../../store/conversations/read.ts';
import type { Actor } from '../../store/organizations/audit.ts';
import { checkTemplate } from '../channels/check-template.ts';
import type { ConversationsDeps } from './deps.ts';
import { replyInConversation } from './reply-in-conversation.ts';

/** Sends the reply of a member. A template is first compared with its definition at the provider. */
export async function sendReply(
  deps: Pick<ConversationsDeps, 'db' | 'openSecrets' | 'connector'>,
  orgId: string,
  id: string,
  reply: ReplyBody & { after?: string | undefined },
  actor: Actor,
): Promise<ConversationMessage> {
  const conversation = reply.template && (await findConversation(deps.db, orgId, id));
  if (conversation) {
    const content = { type: 'template' as const, ...reply.template! };
    await checkTemplate(deps, orgId, conversation.channelId, content, '/template');
  }
  return replyInConversation(deps, orgId, id, reply, actor);
}
