import { eraseEndUser } from '../../../features/end-users/erase-end-user.ts';
import type { Route } from '../../route/route.ts';
import { ACCESS, callerOf, endUserIdOf, type EndUserRoutesDeps, TAG } from './end-user-access.ts';

/** Erases a person. The remaining data identifies no person, and opted-out addresses stay opted out. */
export const eraseEndUserRoute = (deps: EndUserRoutesDeps): Route => ({
  method: 'DELETE',
  path: '/api/end-users/:end_user_id',
  ...ACCESS,
  operation: {
    id: 'eraseEndUser',
    summary: 'Erase an end user',
    description:
      'Permanently removes the person with all conversations, messages and runs. Counts of campaigns do not change. Opt-outs stay valid: Parley stores a keyed digest of each identifier, so a new record with the same identifier gets no messages.',
    tag: TAG,
  },
  responses: { 204: null },
  problems: ['end_user_not_found', 'outcome_unknown'],
  async handle(request) {
    await eraseEndUser(deps, callerOf(request), endUserIdOf(request));
  },
});
