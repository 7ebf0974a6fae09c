import type { Route } from '../../route/route.ts';
import { bulkUpsertRoute } from './bulk-upsert.ts';
import { createEndUserRoute } from './create-end-user.ts';
import { eraseEndUserRoute } from './erase-end-user.ts';
import { exportEndUserRoute } from './export-end-user.ts';
import type { EndUserRoutesDeps } from './end-user-access.ts';
import { listConversationsRoute } from './list-conversations.ts';
import { listEndUsersRoute } from './list-end-users.ts';
import { listMessagesRoute } from './list-messages.ts';
import { readEndUserRoute } from './read-end-user.ts';
import { searchEndUsersRoute } from './search-end-users.ts';
import { setConsentRoute } from './set-consent.ts';
import { updateEndUserRoute } from './update-end-user.ts';
import { upsertEndUserRoute } from './upsert-end-user.ts';

export const endUserRoutes = (deps: EndUserRoutesDeps): Route[] => [
  createEndUserRoute(deps), // POST /api/end-users
  listEndUsersRoute(deps), // GET /api/end-users
  upsertEndUserRoute(deps), // PUT /api/end-users/external/:external_id
  searchEndUsersRoute(deps), // POST /api/end-users/search
  bulkUpsertRoute(deps), // POST /api/end-users/bulk
  readEndUserRoute(deps), // GET /api/end-users/:end_user_id
  updateEndUserRoute(deps), // PATCH /api/end-users/:end_user_id
  eraseEndUserRoute(deps), // DELETE /api/end-users/:end_user_id
  setConsentRoute(deps), // PUT …/consent/:channel_kind
  listConversationsRoute(deps), // GET …/conversations
  listMessagesRoute(deps), // GET …/conversations/:conversation_id/messages
  exportEndUserRoute(deps), // GET …/export
];
