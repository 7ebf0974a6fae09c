import { MAX_WAIT_SECONDS } from '../../../contract/limits.ts';
import {
  handBackConversation,
  resolveConversation,
  takeOverConversation,
} from '../../features/conversations/hand-over.ts';
import { sendFileInConversation } from '../../features/conversations/reply-in-conversation.ts';
import { sendReply } from '../../features/conversations/send-reply.ts';
import { setConversationTags } from '../../features/conversations/set-tags.ts';
import { assignConversation } from '../../features/conversations/assign-conversation.ts';
import { changeConversations } from '../../features/conversations/change-conversations.ts';
import { countConversations } from '../../features/conversations/count-conversations.ts';
import { markConversationSeen } from '../../features/conversations/mark-seen.ts';
import { listPresence, setPresence } from '../../features/conversations/presence.ts';
import { addNote, deleteNote } from '../../features/conversations/notes.ts';
import { listMessages } from '../../features/conversations/list-messages.ts';
import { listConversations, readConversation } from '../../features/conversations/read-conversations.ts';
import { snoozeConversation } from '../../features/conversations/snooze-conversation.ts';
import { createView, deleteView, listViews } from '../../features/conversations/views.ts';
import type { ConversationsDeps } from '../../features/conversations/deps.ts';
import { sayInConversation } from '../../features/conversations/receive-message.ts';
import type { Route } from '../route/route.ts';
import type { RouteDeps } from './route-deps.ts';

/** Routes for messages of conversations, and for members who take conversations over. */
export const conversationRoutes = ({ route, deps }: RouteDeps<ConversationsDeps>): Route[] => [
  route('listConversations', ({ orgId, query, paged, acting: { userId } }) => {
    const { text, view, status, agent_id: agentId, channel_id: channelId, end_user_id: endUserId, tag, sort } = query;
    const { since, until, handed_off: handedOff, rated } = query;
    const { outcome, without, version, member_id: memberId, trigger_id: triggerId, campaign_id: campaignId } = query;
    const circumstances = { outcome, without, version, memberId, triggerId, campaignId };
    const named = { text, view, status, agentId, channelId, endUserId, tag, sort, since, until, handedOff, rated };
    const filter = { ...named, ...circumstances, since: momentOf(since), until: momentOf(until) };
    // The list is not in the order of `created_at`, so the cursor contains the position of the list.
    let next = '';
    return paged(
      { ...named, ...circumstances },
      async ({ limit, after }) => {
        const page = await listConversations(deps, orgId, userId, filter, { limit, after: after?.id ?? null });
        ({ next } = page);
        return page;
      },
      () => next,
    );
  }),
  route('countConversations', ({ orgId, acting: { userId } }) => countConversations(deps, orgId, userId)),
  route('listConversationViews', async ({ orgId, acting: { userId } }) => ({
    data: await listViews(deps, orgId, userId),
  })),
  route('createConversationView', ({ orgId, body, actor }) => createView(deps, orgId, body, actor)),
  route('deleteConversationView', ({ orgId, params, actor }) => deleteView(deps, orgId, params.view_id, actor)),
  route('changeConversations', ({ orgId, body, actor }) => changeConversations(deps, orgId, body, actor)),
  route('readConversation', ({ orgId, params, query }) =>
    readConversation(deps, orgId, params.conversation_id, query.before),
  ),
  route('listMessages', ({ orgId, params: { conversation_id: conversation }, query: { before }, paged }) =>
    paged({ conversation, before }, (page) => listMessages(deps, orgId, conversation, before, page)),
  ),
  route('markConversationSeen', ({ orgId, params, acting: { userId } }) =>
    markConversationSeen(deps, orgId, params.conversation_id, userId),
  ),
  route('listPresence', async ({ orgId, params, acting: { userId } }) => ({
    data: await listPresence(deps, orgId, params.conversation_id, userId),
  })),
  route('setPresence', ({ orgId, params, body, acting }) =>
    setPresence(deps, orgId, params.conversation_id, body, acting),
  ),
  route('sayInConversation', ({ orgId, params, body, from: { requestId }, thenChecked }) =>
    thenChecked(
      sayInConversation(deps, orgId, params.conversation_id, body.text, {
        requestId,
        waitMs: MAX_WAIT_SECONDS * 1_000,
      }),
    ),
  ),
  route('replyInConversation', ({ orgId, params, query: { after }, body, actor, careful }) =>
    sendReply(careful(deps), orgId, params.conversation_id, { ...body, after }, actor),
  ),
  route('sendFileInConversation', ({ orgId, params, query: { name, after }, body, actor }) =>
    sendFileInConversation(deps, orgId, params.conversation_id, { name, after, bytes: body as Buffer }, actor),
  ),
  route('addNote', ({ orgId, params, body, actor }) => addNote(deps, orgId, params.conversation_id, body, actor)),
  route('deleteNote', ({ orgId, params, actor }) =>
    deleteNote(deps, orgId, params.conversation_id, params.note_id, actor),
  ),
  route('takeOverConversation', ({ orgId, params, actor }) =>
    takeOverConversation(deps, orgId, params.conversation_id, actor),
  ),
  route('setConversationTags', ({ orgId, params, body, actor }) =>
    setConversationTags(deps, orgId, params.conversation_id, body.tags, actor),
  ),
  route('assignConversation', ({ orgId, params, body, actor }) =>
    assignConversation(deps, orgId, params.conversation_id, body.user_id, actor),
  ),
  route('snoozeConversation', ({ orgId, params, body, actor }) =>
    snoozeConversation(deps, orgId, params.conversation_id, body.until, actor),
  ),
  route('handBackConversation', ({ orgId, params, actor }) =>
    handBackConversation(deps, orgId, params.conversation_id, actor),
  ),
  route('resolveConversation', ({ orgId, params, actor }) =>
    resolveConversation(deps, orgId, params.conversation_id, actor),
  ),
];

const momentOf = (text: string | undefined): Date | undefined => (text === undefined ? undefined : new Date(text));
