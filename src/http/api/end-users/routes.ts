import type { Route } from '../../route/route.ts';
import { bulkUpsert } from './bulk-upsert.ts';
import { createEndUser } from './create-end-user.ts';
import { eraseEndUser } from './erase-end-user.ts';
import { exportEndUser } from './export-end-user.ts';
import type { EndUserRoutesDeps } from './family.ts';
import { listConversations } from './list-conversations.ts';
import { listEndUsers } from './list-end-users.ts';
import { listMessages } from './list-messages.ts';
import { readEndUser } from './read-end-user.ts';
import { searchEndUsers } from './search-end-users.ts';
import { setConsent } from './set-consent.ts';
import { updateEndUser } from './update-end-user.ts';
import { upsertEndUser } from './upsert-end-user.ts';

export const endUserRoutes = (deps: EndUserRoutesDeps): Route[] => [
  createEndUser(deps), // POST /api/end-users
  listEndUsers(deps), // GET /api/end-users
  upsertEndUser(deps), // PUT /api/end-users/external/:external_id
  searchEndUsers(deps), // POST /api/end-users/search
  bulkUpsert(deps), // POST /api/end-users/bulk
  readEndUser(deps), // GET /api/end-users/:end_user_id
  updateEndUser(deps), // PATCH /api/end-users/:end_user_id
  eraseEndUser(deps), // DELETE /api/end-users/:end_user_id
  setConsent(deps), // PUT …/consent/:channel_kind
  listConversations(deps), // GET …/conversations
  listMessages(deps), // GET …/conversations/:conversation_id/messages
  exportEndUser(deps), // GET …/export
];
