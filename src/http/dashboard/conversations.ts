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
import type { Route } from '../route/route.ts';
import type { Desk } from './deps.ts';

/** Messages of conversations, and people who take over. */
export const conversationRoutes = ({ route, room }: Desk): Route[] => [
  route('listConversations', ({ orgId, query, paged }) => {
    const { text, status, agent_id: agentId, channel_id: channelId, end_user_id: endUserId } = query;
    const filter = { text, status, agentId, channelId, endUserId };
    return paged(filter, async (page) => {
      const { rows, hasMore } = await listConversations(room.db, orgId, filter, page);
      return { rows: rows.map(presentConversation), hasMore };
    });
  }),
  route('readConversation', ({ orgId, params }) => readConversation(room.db, orgId, params.conversation_id)),
  route('sayInConversation', ({ orgId, params, body, from: { requestId } }) =>
    room.say(orgId, params.conversation_id, body.text, { requestId, waitMs: MAX_WAIT_SECONDS * 1_000 }),
  ),
  route('replyInConversation', ({ orgId, params, body, actor }) =>
    replyInConversation(room.db, orgId, params.conversation_id, body.text, actor),
  ),
  route('takeOverConversation', ({ orgId, params, actor }) =>
    takeOverConversation(room.db, orgId, params.conversation_id, actor),
  ),
  route('handBackConversation', ({ orgId, params, actor }) =>
    handBackConversation(room.db, orgId, params.conversation_id, actor),
  ),
  route('resolveConversation', ({ orgId, params, actor }) =>
    resolveConversation(room.db, orgId, params.conversation_id, actor),
  ),
];
