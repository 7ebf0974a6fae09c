import { MAX_WAIT_SECONDS } from '../../../contract/limits.ts';
import {
  handBackConversation,
  replyInConversation,
  resolveConversation,
  takeOverConversation,
} from '../../features/conversations/hand-over.ts';
import {
  listConversations,
  presentConversation,
  readConversation,
} from '../../features/conversations/read-conversations.ts';
import type { ConversationsDeps } from '../../features/conversations/deps.ts';
import { sayInConversation } from '../../features/conversations/receive-message.ts';
import type { Route } from '../route/route.ts';
import type { Desk } from './desk.ts';

/** Messages of conversations, and people who take over. */
export const conversationRoutes = ({ route, deps }: Desk<ConversationsDeps>): Route[] => [
  route('listConversations', ({ orgId, query, paged }) => {
    const { text, status, agent_id: agentId, channel_id: channelId, end_user_id: endUserId } = query;
    const filter = { text, status, agentId, channelId, endUserId };
    return paged(filter, async (page) => {
      const { rows, hasMore } = await listConversations(deps, orgId, filter, page);
      return { rows: rows.map(presentConversation), hasMore };
    });
  }),
  route('readConversation', ({ orgId, params }) => readConversation(deps, orgId, params.conversation_id)),
  route('sayInConversation', ({ orgId, params, body, from: { requestId } }) =>
    sayInConversation(deps, orgId, params.conversation_id, body.text, { requestId, waitMs: MAX_WAIT_SECONDS * 1_000 }),
  ),
  route('replyInConversation', ({ orgId, params, body, actor }) =>
    replyInConversation(deps, orgId, params.conversation_id, body.text, actor),
  ),
  route('takeOverConversation', ({ orgId, params, actor }) =>
    takeOverConversation(deps, orgId, params.conversation_id, actor),
  ),
  route('handBackConversation', ({ orgId, params, actor }) =>
    handBackConversation(deps, orgId, params.conversation_id, actor),
  ),
  route('resolveConversation', ({ orgId, params, actor }) =>
    resolveConversation(deps, orgId, params.conversation_id, actor),
  ),
];
