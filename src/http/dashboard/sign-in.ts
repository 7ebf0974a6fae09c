import { SecondFactorAsked } from '../../../contract/dashboard/second-factor.ts';
import { CLEARED_COOKIE, type SignInOutcome } from '../../access/sessions/sessions.ts';
import { timestamp } from '../../kernel/clock.ts';
import { readSessionView } from '../../features/organizations/read-session-view.ts';
import { setUp } from '../../features/organizations/set-up.ts';
import { acceptInvitation, joinByInvitation, readInvitation } from '../../features/members/accept-invitation.ts';
import { forgotPassword } from '../../features/members/forgot-password.ts';
import { sendEmailLink, verifyEmail } from '../../features/members/verify-email.ts';
import { endOtherSessions, endSession, listSessions } from '../../features/members/end-session.ts';
import { lookAtPasswordLink, resetPassword } from '../../features/members/reset-password.ts';
import {
  signInWithCode,
  signInWithPasskey,
  startPasskeySignIn,
} from '../../features/second-factor/sign-in-with-factor.ts';
import type { Sessions } from '../../access/sessions/sessions.ts';
import type { MembersDeps } from '../../features/members/deps.ts';
import type { OrganizationsDeps } from '../../features/organizations/deps.ts';
import type { SecondFactorDeps } from '../../features/second-factor/second-factor.ts';
import type { Route } from '../route/route.ts';
import type { RouteDeps } from './route-deps.ts';
import type { Call } from './dashboard-route.ts';
import type { DashboardRouteName } from '../../../contract/dashboard/routes.ts';
import type { SessionView } from '../../../contract/dashboard/sign-in.ts';

type SignInRoutesDeps = OrganizationsDeps & MembersDeps & SecondFactorDeps & { sessions: Sessions };

/** Routes for the first setup, sign-in and sign-out, and for the list of sessions. */
export const signInRoutes = ({ route, deps }: RouteDeps<SignInRoutesDeps>): Route[] => {
  type Answering = Pick<Call<DashboardRouteName>, 'from' | 'reply'>;

  /** Responds with the opened session, which is read from the cookies of the outcome or of the request. */
  async function signedIn({ from, reply }: Answering, { setCookie }: SignInOutcome): Promise<SessionView> {
    reply.header('set-cookie', setCookie);
    const cookie = setCookie.length > 0 ? setCookie.map((one) => one.split(';')[0]).join('; ') : from.cookie;
    const found = await deps.sessions.read({ ...from, cookie });
    return readSessionView(deps, found!.signedIn);
  }

  /** Responds with the opened session, or with the next factor that is required. */
  async function entered(call: Answering, outcome: SignInOutcome): Promise<SessionView | SecondFactorAsked> {
    if (outcome.asked === null) return signedIn(call, outcome);
    const { challenge, expiresAt, authenticator, passkey } = outcome.asked;
    call.reply.code(202);
    return { challenge, expires_at: timestamp(expiresAt), authenticator, passkey };
  }
  const asked = { 202: SecondFactorAsked };

  return [
    route('setUp', async (call) => {
      await deps.signInLimit.attempt(call.from.address, call.body.token);
      await setUp(deps, call.body, call.from);
      return signedIn(call, await deps.sessions.signIn(call.from, call.body.email, call.body.password));
    }),
    route('readSignInOptions', () => ({ mail: deps.queueMail !== null })),
    route(
      'signIn',
      async (call) => entered(call, await deps.sessions.signIn(call.from, call.body.email, call.body.password)),
      asked,
    ),
    route('signInWithCode', async (call) => signedIn(call, await signInWithCode(deps, call.body, call.from))),
    route('startPasskeySignIn', () => startPasskeySignIn(deps)),
    route('signInWithPasskey', async (call) => signedIn(call, await signInWithPasskey(deps, call.body, call.from))),
    route('signOut', async ({ from, reply }) => {
      await deps.sessions.signOut(from);
      reply.header('set-cookie', CLEARED_COOKIE);
    }),
    route('readSession', ({ caller }) => readSessionView(deps, caller)),
    route('changePassword', ({ caller, from, body }) =>
      deps.sessions.changePassword(from, caller, body.current_password, body.new_password),
    ),
    route('listSessions', async ({ caller }) => ({ data: await listSessions(deps, caller) })),
    route('endOtherSessions', ({ caller }) => endOtherSessions(deps, caller)),
    route('endSession', ({ caller, params }) => endSession(deps, caller, params.session_id)),
    route('readInvitation', ({ params }) => readInvitation(deps, params.invitation)),
    route('acceptInvitation', async (call) => {
      await deps.signInLimit.attempt(call.from.address, call.params.invitation);
      return signedIn(call, await acceptInvitation(deps, call.params.invitation, call.body, call.from));
    }),
    route('joinByInvitation', async ({ caller, params, from }) => {
      await deps.signInLimit.attempt(from.address, params.invitation);
      return readSessionView(deps, await joinByInvitation(deps, params.invitation, caller, from));
    }),
    route('forgotPassword', async ({ body, from }) => {
      await forgotPassword(deps, body.email, from.address);
    }),
    route('sendEmailLink', ({ caller }) => sendEmailLink(deps, caller)),
    route('verifyEmail', async ({ caller, params }) =>
      readSessionView(deps, await verifyEmail(deps, caller, params.link)),
    ),
    route('readPasswordLink', ({ params }) => lookAtPasswordLink(deps, params.link)),
    route(
      'resetPassword',
      async (call) => {
        await deps.signInLimit.attempt(call.from.address, call.params.link);
        return entered(call, await resetPassword(deps, call.params.link, call.body.password, call.from));
      },
      asked,
    ),
  ];
};
