import { Type } from 'typebox';
import { DEFAULT_PAGE } from '../../../../contract/limits.ts';
import { Message } from '../../../../contract/messages.ts';
import { listConversationMessages } from '../../../features/triggers/list-messages.ts';
import { cursorScope } from '../../route/paging.ts';
import { PageQuery } from '../../route/query.ts';
import type { Route } from '../../route/route.ts';
import { pageOf } from '../../route/page-schema.ts';
import { exampleMessage } from '../end-users/examples.ts';
import type { TriggerRoutesDeps } from './deps.ts';

/** Lists the whole conversation, also across several runs, for a page that is opened again. */
export const listMessagesRoute = (deps: TriggerRoutesDeps): Route => ({
  method: 'GET',
  path: '/api/triggers/:agent_id/:trigger_id/conversations/:conversation_id/messages',
  access: { permission: 'triggers', agent: 'agent_id', trigger: 'trigger_id', client: true },
  operation: {
    id: 'listConversationMessages',
    summary: 'List the messages of a conversation',
    description:
      'Newest first: the messages of all runs of a conversation that has a run of this trigger. A client token reads the conversations that tokens of its key started for its end user.',
    tag: 'Triggers',
    examples: { 200: { data: [exampleMessage], next_cursor: null, has_more: false } },
  },
  query: Type.Object(PageQuery),
  responses: { 200: pageOf(Message, 'MessagePage') },
  problems: ['conversation_not_found'],
  async handle(request) {
    const { caller, trigger } = request.admission;
    const { conversation_id: conversationId } = request.params as { conversation_id: string };
    const { limit = DEFAULT_PAGE, cursor } = request.query as { limit?: number; cursor?: string };
    const meant = { triggerId: trigger!.id, conversationId, clientMark: caller.client?.mark };
    const scope = cursorScope('messages of a conversation', caller.orgId, meant);
    const page = await listConversationMessages(deps, caller.orgId, meant, {
      limit,
      after: deps.paging.after(scope, cursor),
    });
    return deps.paging.page(scope, page);
  },
});
