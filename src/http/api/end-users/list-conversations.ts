import { Type } from 'typebox';
import { EndUserConversation } from '../../../../contract/end-users.ts';
import { DEFAULT_PAGE } from '../../../../contract/limits.ts';
import { cursorScope } from '../../route/paging.ts';
import { PageQuery } from '../../route/query.ts';
import { listConversationsOf } from '../../../features/end-users/read-end-users.ts';
import type { Route } from '../../route/route.ts';
import { pageOf } from '../../route/page-schema.ts';
import { ACCESS, endUserIdOf, type EndUserRoutesDeps, TAG } from './end-user-access.ts';
import { exampleConversation } from './examples.ts';

export const listConversationsRoute = (deps: EndUserRoutesDeps): Route => ({
  method: 'GET',
  path: '/api/end-users/:end_user_id/conversations',
  ...ACCESS,
  operation: {
    id: 'listEndUserConversations',
    summary: "List a person's conversations",
    description: 'Newest first.',
    tag: TAG,
    examples: { 200: { data: [exampleConversation], next_cursor: null, has_more: false } },
  },
  query: Type.Object(PageQuery),
  responses: { 200: pageOf(EndUserConversation, 'EndUserConversationPage') },
  problems: ['end_user_not_found'],
  async handle(request) {
    const { orgId } = request.admission.caller;
    const id = endUserIdOf(request);
    const { limit = DEFAULT_PAGE, cursor } = request.query as { limit?: number; cursor?: string };
    const scope = cursorScope('conversations of', orgId, { id });
    const page = await listConversationsOf(deps, orgId, id, { limit, after: deps.paging.after(scope, cursor) });
    return deps.paging.page(scope, page);
  },
});
