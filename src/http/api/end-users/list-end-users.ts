import { Type } from 'typebox';
import { EndUser, Tag } from '../../../../contract/end-users.ts';
import { DEFAULT_PAGE } from '../../../../contract/limits.ts';
import { cursorScope } from '../../route/paging.ts';
import { PageQuery } from '../../route/query.ts';
import { listEndUsers } from '../../../features/end-users/read-end-users.ts';
import type { Route } from '../../route/route.ts';
import { pageOf } from '../../route/page-schema.ts';
import { ACCESS, type EndUserRoutesDeps, TAG } from './end-user-access.ts';
import { exampleEndUser } from './examples.ts';

type Query = {
  limit?: number;
  cursor?: string;
  external_id?: string;
  email?: string;
  phone?: string;
  tag?: string;
  updated_after?: string;
};

export const listEndUsersRoute = (deps: EndUserRoutesDeps): Route => ({
  method: 'GET',
  path: '/api/end-users',
  ...ACCESS,
  operation: {
    id: 'listEndUsers',
    summary: 'List end users',
    description:
      'Newest first. Filters are exact and may be combined. To keep a copy up to date, note the current time, then read all pages with `updated_after` set to the previously noted time. The event `end_user.deleted` reports people who were erased.',
    tag: TAG,
    examples: { 200: { data: [exampleEndUser], next_cursor: null, has_more: false } },
  },
  query: Type.Object({
    ...PageQuery,
    external_id: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
    email: Type.Optional(Type.String({ format: 'email', maxLength: 254 })),
    phone: Type.Optional(Type.String({ format: 'phone', maxLength: 16 })),
    tag: Type.Optional(Tag),
    updated_after: Type.Optional(
      Type.String({ format: 'date-time', description: 'Only end users who were created or changed after this time.' }),
    ),
  }),
  responses: { 200: pageOf(EndUser, 'EndUserPage') },
  async handle(request) {
    const { orgId } = request.admission.caller;
    const { limit = DEFAULT_PAGE, cursor, ...given } = request.query as Query;
    const scope = cursorScope('end users', orgId, given);
    const filter = {
      externalId: given.external_id,
      email: given.email,
      phone: given.phone,
      tags: given.tag === undefined ? undefined : [given.tag],
      updatedAfter: given.updated_after === undefined ? undefined : new Date(given.updated_after),
    };
    const page = await listEndUsers(deps, orgId, filter, { limit, after: deps.paging.after(scope, cursor) });
    return deps.paging.page(scope, page);
  },
});
