import { Readable } from 'node:stream';
import { EndUserExport } from '../../../../contract/end-users.ts';
import { exportEndUser } from '../../../features/end-users/export-end-user.ts';
import type { Route } from '../../route/route.ts';
import { ACCESS, endUserIdOf, type EndUserRoutesDeps, TAG } from './end-user-access.ts';
import { exampleConversation, exampleEndUser, exampleMessage } from './examples.ts';

/**
 * Streams all stored data about one person while the data is read. The size of the export depends on the person's
 * history and has no other limit.
 */
export const exportEndUserRoute = (deps: EndUserRoutesDeps): Route => ({
  method: 'GET',
  path: '/api/end-users/:end_user_id/export',
  ...ACCESS,
  operation: {
    id: 'exportEndUser',
    summary: 'Export everything about a person',
    description:
      'The record, all conversations with their messages, runs with their input, tool calls that needed an approval, campaigns, and ratings.',
    tag: TAG,
    examples: {
      200: {
        exported_at: exampleEndUser.created_at,
        end_user: exampleEndUser,
        conversations: [exampleConversation],
        messages: [{ ...exampleMessage, conversation_id: exampleConversation.id }],
        runs: [],
        approvals: [],
        recipients: [],
        ratings: [],
      },
    },
  },
  responses: { 200: EndUserExport },
  problems: ['end_user_not_found'],
  async handle(request, reply) {
    const id = endUserIdOf(request);
    const parts = await exportEndUser(deps, request.admission.caller.orgId, id);
    return reply
      .type('application/json; charset=utf-8')
      .header('content-disposition', `attachment; filename="${id}.json"`)
      .send(Readable.from(parts));
  },
});
