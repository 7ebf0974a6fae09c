import { CreateEndUser, EndUser } from '../../../../contract/end-users.ts';
import { createEndUser } from '../../../features/end-users/write-end-users.ts';
import type { Route } from '../../route/route.ts';
import { ACCESS, callerOf, type EndUserRoutesDeps, TAG } from './end-user-access.ts';
import { exampleEndUser } from './examples.ts';

/** Creates a person. The call is refused if another person has one of the identifiers. */
export const createEndUserRoute = (deps: EndUserRoutesDeps): Route => ({
  method: 'POST',
  path: '/api/end-users',
  ...ACCESS,
  operation: {
    id: 'createEndUser',
    summary: 'Create an end user',
    description:
      'An external id, e-mail address or phone number that another person already has returns 409, and `existing_id` names this person. To create or update in one call, use `PUT /api/end-users/external/{external_id}`.',
    tag: TAG,
    example: { external_id: 'crm-42', name: 'Asha', phone: '+97430000000', locale: 'ar', attributes: { plan: 'gold' } },
    examples: { 201: exampleEndUser },
  },
  body: CreateEndUser,
  idempotent: true,
  responses: {
    201: { schema: EndUser, description: 'Made.', headers: { Location: 'The URL of the person.' } },
  },
  problems: ['already_exists'],
  async handle(request, reply) {
    const answer = await createEndUser(deps, callerOf(request), request.body as CreateEndUser);
    if (answer.replayed) reply.header('idempotent-replayed', 'true');
    const { id } = JSON.parse(answer.body) as { id: string };
    reply.header('location', `${deps.baseUrl}/api/end-users/${id}`).code(answer.status);
    return answer.body;
  },
});
