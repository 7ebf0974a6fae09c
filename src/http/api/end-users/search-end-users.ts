import { EndUser, SearchEndUsers } from '../../../../contract/end-users.ts';
import { DEFAULT_PAGE } from '../../../../contract/limits.ts';
import { cursorScope } from '../../route/paging.ts';
import { listEndUsers } from '../../../features/end-users/read-end-users.ts';
import type { Route } from '../../route/route.ts';
import { pageOf } from '../../route/page-schema.ts';
import { ACCESS, type EndUserRoutesDeps, TAG } from './end-user-access.ts';
import { exampleEndUser } from './examples.ts';

export const searchEndUsersRoute = (deps: EndUserRoutesDeps): Route => ({
  method: 'POST',
  path: '/api/end-users/search',
  ...ACCESS,
  operation: {
    id: 'searchEndUsers',
    summary: 'Search end users',
    description:
      '`query` finds beginnings: of words of the name, of the e-mail address, phone number or external id. `filter` is exact, and all of it must hold. Newest first; pass `next_cursor` as `cursor` with the same query and filter.',
    tag: TAG,
    example: { query: 'ash', filter: { attributes: { plan: 'gold' }, tags: ['vip'] } },
    examples: { 200: { data: [exampleEndUser], next_cursor: null, has_more: false } },
  },
  body: SearchEndUsers,
  bodyOptional: true,
  responses: { 200: pageOf(EndUser, 'EndUserPage') },
  problems: ['cursor_invalid'],
  async handle(request) {
    const { orgId } = request.admission.caller;
    const { limit = DEFAULT_PAGE, cursor, query, filter = {} } = request.body as SearchEndUsers;
    const scope = cursorScope('end users found', orgId, { query, filter });
    const found = {
      externalId: filter.external_id,
      email: filter.email,
      phone: filter.phone,
      tags: filter.tags,
      attributes: filter.attributes,
      blocked: filter.blocked,
      updatedAfter: filter.updated_after === undefined ? undefined : new Date(filter.updated_after),
      text: query?.trim() || undefined,
    };
    const page = await listEndUsers(deps, orgId, found, { limit, after: deps.paging.after(scope, cursor) });
    return deps.paging.page(scope, page);
  },
});
