import { DASHBOARD_BASE } from '../../../contract/dashboard/routes.ts';
import { Refusal } from '../../../contract/problems.ts';
import { CLEARED_STATE } from '../../access/sessions/sign-in-state.ts';
import { beginSignIn } from '../../features/sign-in/begin-sign-in.ts';
import {
  addSignInDomain,
  confirmSignInDomain,
  removeSignInDomain,
  verifySignInDomain,
} from '../../features/sign-in/domains.ts';
import { finishSignIn } from '../../features/sign-in/finish-sign-in.ts';
import {
  checkSignInProvider,
  readSignInSettings,
  removeSignInProvider,
  setSignInProvider,
} from '../../features/sign-in/set-provider.ts';
import type { SignInLimit } from '../../access/sessions/sign-in-limit.ts';
import type { SignInDeps } from '../../features/sign-in/sign-in.ts';
import type { Route } from '../route/route.ts';
import type { RouteDeps } from './route-deps.ts';

/** The limit counts only the network address, so this text replaces an account. */
const ANYBODY = 'organization sign-in';

/** Routes for sign-in with the provider of an organization, and for its settings. */
export const organizationSignInRoutes = ({
  route,
  deps,
}: RouteDeps<SignInDeps & { organizationSignInLimit: SignInLimit }>): Route[] => [
  route('beginSignIn', async ({ body, from, reply }) => {
    await deps.organizationSignInLimit.attempt(from.address, `${ANYBODY} ${from.address}`);
    const { url, setCookie } = await beginSignIn(deps, body);
    reply.header('set-cookie', setCookie);
    return { url };
  }),
  route('finishSignIn', async ({ orgId, query, from, reply }) => {
    // A person sees the response, so a page of the dashboard must explain the fault.
    const to = (path: string) => reply.redirect(pageOfOurs(path, deps.baseUrl), 303);
    try {
      await deps.organizationSignInLimit.attempt(from.address, `${ANYBODY} ${from.address}`);
      const text = typeof query === 'string' ? query : '';
      const { setCookie, back } = await finishSignIn(deps, orgId, text, from);
      await deps.organizationSignInLimit.succeeded(from.address, `${ANYBODY} ${from.address}`);
      reply.header('set-cookie', [...setCookie, CLEARED_STATE]);
      return to(back);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      // The state is not deleted, because a link from another person must not end a sign-in in progress.
      return to(`/sign-in?problem=${error.code}`);
    }
  }),

  route('readSignInSettings', ({ orgId }) => readSignInSettings(deps, orgId)),
  route('setSignInProvider', ({ orgId, body, actor, careful }) => setSignInProvider(careful(deps), orgId, body, actor)),
  route('removeSignInProvider', ({ orgId, actor }) => removeSignInProvider(deps, orgId, actor)),
  route('checkSignInProvider', ({ body }) => checkSignInProvider(deps, body.issuer)),
  route('addSignInDomain', ({ orgId, body, actor }) => addSignInDomain(deps, orgId, body.domain, actor)),
  route('verifySignInDomain', ({ orgId, params, actor, careful }) =>
    verifySignInDomain(careful(deps), orgId, params.domain, actor),
  ),
  route('confirmSignInDomain', ({ orgId, params, actor }) => confirmSignInDomain(deps, orgId, params.domain, actor)),
  route('removeSignInDomain', ({ orgId, params, actor }) => removeSignInDomain(deps, orgId, params.domain, actor)),
];

/**
 * Accepts only a page of the dashboard, never a path of the API, so that a link cannot trigger an action. The path is
 * parsed as in a browser, which removes tabs and line breaks, because `/<tab>/evil.example` leads to another site.
 */
function pageOfOurs(path: string, baseUrl: string): string {
  const front = new URL('/', baseUrl);
  const page = URL.parse(path, front.href);
  return page?.origin === front.origin && !page.pathname.startsWith(DASHBOARD_BASE) ? page.href : front.href;
}
