import { listCalls, listRequests } from '../../features/usage/list-requests.ts';
import type { Route } from '../route/route.ts';
import type { Desk } from './deps.ts';

/** The individual requests of keys. */
export const requestRoutes = ({ route, room }: Desk): Route[] => [
  route('listRequests', ({ orgId, query, paged }) => {
    const { id, key_id, call, outcome, since, until } = query;
    const filter = { id, key_id, call, outcome, since, until };
    return paged(filter, (page) => listRequests(room.db, orgId, filter, page));
  }),
  route('listRequestCalls', async ({ orgId }) => ({ data: await listCalls(room.db, orgId) })),
];
