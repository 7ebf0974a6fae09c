import { EndUser } from '../../../../contract/end-users.ts';
import { readEndUser } from '../../../features/end-users/read-end-users.ts';
import type { Route } from '../../route/route.ts';
import { ACCESS, endUserIdOf, type EndUserRoutesDeps, TAG } from './end-user-access.ts';
import { exampleEndUser } from './examples.ts';

export const readEndUserRoute = (deps: EndUserRoutesDeps): Route => ({
  method: 'GET',
  path: '/api/end-users/:end_user_id',
  ...ACCESS,
  operation: { id: 'readEndUser', summary: 'Read an end user', tag: TAG, examples: { 200: exampleEndUser } },
  responses: { 200: EndUser },
  problems: ['end_user_not_found'],
  handle: (request) => readEndUser(deps, request.admission.caller.orgId, endUserIdOf(request)),
});
