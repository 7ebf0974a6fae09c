import { EndUser, UpdateEndUser } from '../../../../contract/end-users.ts';
import { updateEndUser } from '../../../features/end-users/write-end-users.ts';
import type { Route } from '../../route/route.ts';
import { ACCESS, callerOf, endUserIdOf, type EndUserRoutesDeps, TAG } from './end-user-access.ts';
import { exampleEndUser } from './examples.ts';

export const updateEndUserRoute = (deps: EndUserRoutesDeps): Route => ({
  method: 'PATCH',
  path: '/api/end-users/:end_user_id',
  ...ACCESS,
  operation: {
    id: 'updateEndUser',
    summary: 'Change an end user',
    description: 'Absent fields do not change, null removes a value, `attributes` are merged and `tags` are replaced.',
    tag: TAG,
    example: { name: 'Asha K.', attributes: { plan: null } },
    examples: { 200: exampleEndUser },
  },
  body: UpdateEndUser,
  responses: { 200: EndUser },
  problems: ['end_user_not_found', 'already_exists', 'outcome_unknown'],
  handle: (request) => updateEndUser(deps, callerOf(request), endUserIdOf(request), request.body as UpdateEndUser),
});
