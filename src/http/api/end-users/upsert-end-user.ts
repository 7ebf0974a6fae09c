import { EndUser, UpsertEndUser } from '../../../../contract/end-users.ts';
import { invalidAt, type Refusal } from '../../../../contract/problems.ts';
import { upsertEndUser } from '../../../features/end-users/write-end-users.ts';
import type { Route } from '../../route/route.ts';
import { ACCESS, callerOf, type EndUserRoutesDeps, TAG } from './end-user-access.ts';
import { exampleEndUser } from './examples.ts';

const MAX_EXTERNAL_ID = 255;

/** Updates a person to match the caller's own records. A repeated call has no second effect. */
export const upsertEndUserRoute = (deps: EndUserRoutesDeps): Route => ({
  method: 'PUT',
  path: '/api/end-users/external/:external_id',
  ...ACCESS,
  operation: {
    id: 'upsertEndUser',
    summary: 'Create or update an end user by your own id',
    description:
      'Omitted fields stay, null removes a value, `attributes` are merged and `tags` are replaced. An existing person with the same e-mail address or phone number and without an external id gets this external id. An identifier of another person returns 409.',
    tag: TAG,
    example: { name: 'Asha', email: 'asha@example.qa', attributes: { plan: 'gold', trial: null } },
    examples: { 200: exampleEndUser, 201: exampleEndUser },
  },
  body: UpsertEndUser,
  responses: {
    200: { schema: EndUser, description: 'Updated, or already equal to the body.' },
    201: { schema: EndUser, description: 'Made.' },
  },
  problems: ['already_exists', 'outcome_unknown'],
  async handle(request, reply) {
    const { external_id: externalId } = request.params as { external_id: string };
    if (externalId === '') throw unfit('too_short', 'Must not be empty.');
    if (externalId.length > MAX_EXTERNAL_ID)
      throw unfit('too_long', `Must have at most ${MAX_EXTERNAL_ID} characters.`);
    const { created, endUser } = await upsertEndUser(
      deps,
      callerOf(request),
      externalId,
      request.body as UpsertEndUser,
    );
    reply.code(created ? 201 : 200);
    return endUser;
  },
});

const unfit = (code: string, detail: string): Refusal => invalidAt('/external_id', code, detail);
