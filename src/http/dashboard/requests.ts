import { listCalls, listRequests } from '../../features/usage/list-requests.ts';
import type { OrganizationsDeps } from '../../features/organizations/deps.ts';
import type { Route } from '../route/route.ts';
import type { RouteDeps } from './route-deps.ts';

/** Routes for the individual requests of keys. */
export const requestRoutes = ({ route, deps }: RouteDeps<{ db: OrganizationsDeps['db'] }>): Route[] => [
  route('listRequests', ({ orgId, query, paged }) => {
    const { id, key_id, call, outcome, since, until } = query;
    const filter = { id, key_id, call, outcome, since, until };
    return paged(filter, (page) => listRequests(deps, orgId, filter, page));
  }),
  route('listRequestCalls', async ({ orgId }) => ({ data: await listCalls(deps, orgId) })),
];
