import type { ConversationMessage, ReplyBody } from '../../../contract/dashboard/conversations.ts';
import { checkTemplate } from '../../channels/check-template.ts';
import { readChannel } from '../../store/channels/channels.ts';
import { findConversation } from '../../store/conversations/read.ts';
import type { Actor } from '../../store/organizations/audit.ts';
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
  const channel = conversation && (await readChannel(deps.db, orgId, conversation.channelId));
  if (channel) await checkTemplate(deps, channel, { type: 'template', ...reply.template! }, '/template');
  return replyInConversation(deps, orgId, id, reply, actor);
}
