import { CLEARED_COOKIE } from '../../access/sessions/sessions.ts';
import { readSessionView } from '../../features/organizations/read-session-view.ts';
import { setUp } from '../../features/organizations/set-up.ts';
import { acceptInvitation, readInvitation } from '../../features/members/accept-invitation.ts';
import { endOtherSessions, endSession, listSessions } from '../../features/members/end-session.ts';
import { lookAtPasswordLink, resetPassword } from '../../features/members/reset-password.ts';
import type { Route } from '../route.ts';
import type { Desk } from './deps.ts';
import type { Call } from './dashboard-route.ts';
import type { DashboardRouteName } from '../../../contract/dashboard/routes.ts';
import type { SessionView } from '../../../contract/dashboard/sign-in.ts';

/** Setting up, signing in and out, and where one is signed in. */
export const signInRoutes = ({ route, room }: Desk): Route[] => {
  /** Answers with the session that `cookies` carry. */
  async function signedIn(
    { from, reply }: Pick<Call<DashboardRouteName>, 'from' | 'reply'>,
    setCookie: string[],
  ): Promise<SessionView> {
    reply.header('set-cookie', setCookie);
    const found = await room.sessions.read({ ...from, cookie: setCookie.map((one) => one.split(';')[0]).join('; ') });
    return readSessionView(room, found!.signedIn.user, null);
  }

  return [
    route('setUp', async (call) => {
      await room.limit.attempt(call.from.address, call.body.token);
      await setUp(room, call.body, call.from);
      const { setCookie } = await room.sessions.signIn(call.from, call.body.email, call.body.password);
      return signedIn(call, setCookie);
    }),
    route('signIn', async (call) => {
      const { setCookie } = await room.sessions.signIn(call.from, call.body.email, call.body.password);
      return signedIn(call, setCookie);
    }),
    route('signOut', async ({ from, reply }) => {
      await room.sessions.signOut(from);
      reply.header('set-cookie', CLEARED_COOKIE);
    }),
    route('readSession', ({ caller }) => readSessionView(room, caller.user, caller.onlyOrgId)),
    route('changePassword', ({ caller, from, body }) =>
      room.sessions.changePassword(from, caller, body.current_password, body.new_password),
    ),
    route('listSessions', async ({ caller }) => ({ data: await listSessions(room, caller) })),
    route('endOtherSessions', ({ caller }) => endOtherSessions(room, caller)),
    route('endSession', ({ caller, params }) => endSession(room, caller, params.session_id)),
    route('readInvitation', ({ params }) => readInvitation(room, params.invitation)),
    route('acceptInvitation', async (call) => {
      await room.limit.attempt(call.from.address, call.params.invitation);
      const { setCookie } = await acceptInvitation(room, call.params.invitation, call.body, call.from);
      return signedIn(call, setCookie);
    }),
    route('readPasswordLink', ({ params }) => lookAtPasswordLink(room, params.link)),
    route('resetPassword', async (call) => {
      await room.limit.attempt(call.from.address, call.params.link);
      const { setCookie } = await resetPassword(room, call.params.link, call.body.password, call.from);
      return signedIn(call, setCookie);
    }),
  ];
};
