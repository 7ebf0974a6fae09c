import {
  createSavedReply,
  deleteSavedReply,
  updateSavedReply,
} from '../../features/saved-replies/change-saved-replies.ts';
import type { SavedRepliesDeps } from '../../features/saved-replies/deps.ts';
import { fillSavedReply } from '../../features/saved-replies/fill-saved-reply.ts';
import { listSavedReplies, readSavedReply } from '../../features/saved-replies/read-saved-replies.ts';
import type { Route } from '../route/route.ts';
import type { RouteDeps } from './route-deps.ts';

/** Routes for texts that members use again and again. */
export const savedReplyRoutes = ({ route, deps }: RouteDeps<SavedRepliesDeps>): Route[] => [
  route('listSavedReplies', async ({ orgId }) => ({ data: await listSavedReplies(deps, orgId) })),
  route('createSavedReply', ({ orgId, body, actor }) => createSavedReply(deps, orgId, body, actor)),
  route('readSavedReply', ({ orgId, params }) => readSavedReply(deps, orgId, params.saved_reply_id)),
  route('updateSavedReply', ({ orgId, params, body, actor }) =>
    updateSavedReply(deps, orgId, params.saved_reply_id, body, actor),
  ),
  route('deleteSavedReply', ({ orgId, params, actor }) => deleteSavedReply(deps, orgId, params.saved_reply_id, actor)),
  route('fillSavedReply', ({ orgId, params, acting: { userId } }) =>
    fillSavedReply(deps, { orgId, conversationId: params.conversation_id, id: params.saved_reply_id, userId }),
  ),
];
