import type { DashboardCaller } from '../../access/sessions/session-gate.ts';
import { createAccessToken } from '../../features/access-tokens/create-access-token.ts';
import type { AccessTokensDeps, TokenMaker } from '../../features/access-tokens/deps.ts';
import { listAccessTokens } from '../../features/access-tokens/list-access-tokens.ts';
import { replaceAccessToken } from '../../features/access-tokens/replace-access-token.ts';
import { revokeAccessToken } from '../../features/access-tokens/revoke-access-token.ts';
import type { Route } from '../route/route.ts';
import type { RouteDeps } from './route-deps.ts';

/** Routes for access tokens of programs, which only people can create and revoke. */
export const accessTokenRoutes = ({ route, deps }: RouteDeps<AccessTokensDeps>): Route[] => [
  route('listAccessTokens', ({ orgId, query: { kind, state }, acting, paged }) =>
    paged({ kind, state }, (page) => listAccessTokens(deps, orgId, { kind, state }, acting, page)),
  ),
  route('createAccessToken', ({ orgId, body, caller, actor }) =>
    createAccessToken(deps, orgId, body, makerOf(caller), actor),
  ),
  route('replaceAccessToken', ({ orgId, params, body, caller, actor }) =>
    replaceAccessToken(deps, orgId, params.token_id, body, makerOf(caller), actor),
  ),
  route('revokeAccessToken', ({ orgId, params, acting, actor }) =>
    revokeAccessToken(deps, orgId, params.token_id, acting, actor),
  ),
];

const makerOf = ({ user, sessionId, onlyOrgId, signInFactor }: DashboardCaller): TokenMaker => ({
  userId: user.id,
  sessionId,
  onlyOrgId,
  signInFactor,
});
