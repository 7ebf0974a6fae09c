import { Type } from 'typebox';
import { DEFAULT_PAGE } from '../../../../contract/limits.ts';
import { Message } from '../../../../contract/messages.ts';
import { cursorScope } from '../../route/paging.ts';
import { PageQuery } from '../../route/query.ts';
import { listMessagesOf } from '../../../features/end-users/read-end-users.ts';
import type { Route } from '../../route/route.ts';
import { pageOf } from '../../route/page-schema.ts';
import { ACCESS, endUserIdOf, type EndUserRoutesDeps, TAG } from './end-user-access.ts';
import { exampleMessage } from './examples.ts';

export const listMessagesRoute = (deps: EndUserRoutesDeps): Route => ({
  method: 'GET',
  path: '/api/end-users/:end_user_id/conversations/:conversation_id/messages',
  ...ACCESS,
  operation: {
    id: 'listEndUserMessages',
    summary: 'List the messages of a conversation',
    description: 'Newest first.',
    tag: TAG,
    examples: { 200: { data: [exampleMessage], next_cursor: null, has_more: false } },
  },
  query: Type.Object(PageQuery),
  responses: { 200: pageOf(Message, 'MessagePage') },
  problems: ['end_user_not_found', 'conversation_not_found'],
  async handle(request) {
    const { orgId } = request.admission.caller;
    const endUserId = endUserIdOf(request);
    const { conversation_id: conversationId } = request.params as { conversation_id: string };
    const { limit = DEFAULT_PAGE, cursor } = request.query as { limit?: number; cursor?: string };
    const scope = cursorScope('messages of', orgId, { endUserId, conversationId });
    const after = deps.paging.after(scope, cursor);
    const page = await listMessagesOf(deps, orgId, { endUserId, conversationId }, { limit, after });
    return deps.paging.page(scope, page);
  },
});
