import { Refusal } from '../../../contract/problems.ts';
import { ROLES, type Role } from '../../../contract/permissions.ts';
import type { TokenVerb } from '../../../contract/permissions.ts';
import { isId } from '../../../contract/ids.ts';
import type { DashboardAccess } from '../../../contract/dashboard/routes.ts';
import type { Db } from '../../store/db.ts';
import { insistOnAnswer } from '../../store/cells/by-cell.ts';
import { readOperatorId } from '../../store/installation/installation.ts';
import { findMembership, type Membership } from '../../store/organizations/organizations.ts';
import type { FoundToken } from '../../store/access-tokens/find.ts';
import { decideToken } from '../tokens/decide-token.ts';
import type { TokenGate } from '../tokens/token-gate.ts';
import { lostDatabase } from './lost-database.ts';
import { type Arrival, checkOrigin } from './origin.ts';
import type { Sessions } from './sessions.ts';
import type { SignedIn } from './signed-in.ts';

/** The facts about its caller that a dashboard route receives after the gate. */
export type DashboardCaller = SignedIn & {
  /** Null on routes without `:org_id`, and for the operator in another organization. */
  membership: Membership | null;
  isOperator: boolean;
  /**
   * The access token that made the call, instead of a session. For an access token, `user` is the person of the token.
   */
  token: Pick<FoundToken, 'id' | 'label' | 'role' | 'verbs' | 'agentIds' | 'expiresAt'> | null;
  /** Cookies that prolong the session of the browser. The route copies the cookies in `setCookie` into the response. */
  setCookie: string[];
};

export type GateRequest = Arrival & { method: string; params: unknown; ip: string };

/**
 * The requirements of a route for its caller. `token`: the verb that an access token needs. Absent: the route refuses
 * access tokens.
 */
export type GateNeed = { access: Exclude<DashboardAccess, 'public'>; token?: TokenVerb | 'own' | undefined };

/** True if `role` includes `needed`. Each role includes the rights of all later roles in the list. */
export const isAtLeast = (role: Role, needed: Role): boolean => ROLES.indexOf(role) <= ROLES.indexOf(needed);

type GateDeps = { db: Db; sessions: Sessions; tokens: TokenGate; baseUrl: string };

/**
 * The gate runs before any byte of the body is read. The order of checks is: Host and Origin, the session, the membership, the
 * second factor if the organization requires it, the role, and whether the cell of the organization answers. All data
 * is read from the database on each request, so an ended session or a changed role takes effect on the next
 * request. For a request with a bearer token, only the token decides (docs/adr/0107), and its cookies are ignored.
 * `authorization`: the values of all Authorization headers. `isAgain`: the caller of a call in progress is checked
 * again, which does not count as another call of an access token.
 */
export function createSessionGate({ db, sessions, tokens, baseUrl }: GateDeps) {
  return (need: GateNeed) =>
    async (request: GateRequest, authorization: readonly string[], isAgain = false): Promise<DashboardCaller> => {
      checkOrigin(request, baseUrl);
      const isToken = tokens.isMeant(authorization);
      const caller = await (isToken ? byToken(request, authorization, need, isAgain) : bySession(request, need));
      const { org_id: orgId } = request.params as { org_id?: string };
      const before = request.method === 'GET' ? 'read' : 'change';
      if (orgId !== undefined) await decided(insistOnAnswer(db, orgId, before));
      return caller;
    };

  async function bySession(request: GateRequest, { access }: GateNeed): Promise<DashboardCaller> {
    const { cookie, 'user-agent': userAgent } = request.headers;
    const found = await sessions.read({ cookie, address: request.ip, userAgent });
    if (!found) throw new Refusal('session_missing');
    const { signedIn, setCookie } = found;
    const { onlyOrgId } = signedIn;
    // A provider confirms identities only within its own organization, not for a person with the same address
    // elsewhere.
    const isOperator = onlyOrgId === null && (await decided(readOperatorId(db))) === signedIn.user.id;
    const caller: DashboardCaller = { ...signedIn, membership: null, isOperator, setCookie, token: null };
    if (access === 'any_session') return caller;
    if (access === 'signed_in') {
      if (onlyOrgId !== null) throw new Refusal('personal_session_required');
      return caller;
    }

    const { org_id: orgId } = request.params as { org_id: string };
    const isReached = isId('org', orgId) && (onlyOrgId === null || onlyOrgId === orgId);
    const membership = isReached ? await decided(findMembership(db, orgId, signedIn.user.id)) : null;
    if (membership?.requiresSecondFactor && !signedIn.signInFactor) throw new Refusal('second_factor_required');
    if (access === 'operator') {
      if (isOperator) return { ...caller, membership };
      throw membership ? new Refusal('operator_required') : new Refusal('organization_not_found');
    }
    if (!membership) throw new Refusal('organization_not_found');
    if (!isAtLeast(membership.role, access)) {
      throw new Refusal('role_missing', `This needs the role ${access}; yours is ${membership.role}.`);
    }
    return { ...caller, membership };
  }

  async function byToken(
    request: GateRequest,
    authorization: readonly string[],
    { access, token: verb }: GateNeed,
    isAgain: boolean,
  ): Promise<DashboardCaller> {
    const found = await decided(tokens.find(authorization, request.ip));
    const { org_id: orgId = null, agent_id: agentId = null } = request.params as { org_id?: string; agent_id?: string };
    const isOpen = verb !== undefined && access !== 'operator' && access !== 'signed_in';
    const need = { role: isOpen && access !== 'any_session' ? access : null, orgId, agentId };
    const role = decideToken(found, { ...need, verb: verb ?? 'own' });
    if (role instanceof Refusal) throw role;
    if (!isOpen) throw new Refusal('token_not_accepted');
    if (!isAgain) await tokens.used(found);
    return {
      sessionId: found.id,
      user: found.person,
      // The token has access only to its own organization, like a session of a provider.
      onlyOrgId: found.orgId,
      signInFactor: found.signInFactor,
      openedAt: found.createdAt,
      membership: orgId === null ? null : { ...found.organization, role },
      isOperator: false,
      setCookie: [],
      token: found,
    };
  }
}

/** The gate runs before any change, so a lost database gives 503 `unavailable` for every method. */
const decided = <T>(reading: Promise<T>): Promise<T> =>
  reading.catch((error: unknown) => {
    throw lostDatabase('GET', error);
  });
