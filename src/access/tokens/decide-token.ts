import { ROLES, type Role, type TokenVerb } from '../../../contract/permissions.ts';
import { Refusal } from '../../../contract/problems.ts';
import type { FoundToken } from '../../store/access-tokens/find.ts';
import { CHALLENGE_INVALID, challengeScope } from '../api-keys/authorization-header.ts';

/**
 * The requirements of a route for an access token: its verb (`own`: any verb), the role that people need for the route,
 * and the records in its path.
 */
export type TokenNeed = {
  verb: TokenVerb | 'own';
  /** Null: any member may call the route. */
  role: Role | null;
  /** The organization in the path. Null: the route is outside an organization. */
  orgId: string | null;
  agentId: string | null;
};

/**
 * Returns the role with which the token acts, or a refusal. The function is pure, so one test covers the whole table.
 */
export function decideToken(token: FoundToken, need: TokenNeed): Role | Refusal {
  const challenge = { headers: { 'WWW-Authenticate': CHALLENGE_INVALID } };
  if (token.revokedAt !== null) return new Refusal('token_revoked', undefined, challenge);
  if (token.hasExpired) return new Refusal('token_expired', undefined, challenge);
  const role = roleOf(token);
  if (role === null)
    return new Refusal('token_revoked', 'The person of this token no longer has the role for it.', challenge);
  if (need.orgId !== null && need.orgId !== token.orgId) return new Refusal('organization_not_found');
  if (need.verb !== 'own' || need.orgId !== null) {
    if (token.organization.requiresSecondFactor && !token.signInFactor)
      return new Refusal(
        'second_factor_required',
        'The organization requires a second factor, and this token was made without one. Sign in with a second factor and make a new token.',
      );
  }
  if (need.verb === 'own') return role;
  if (!token.verbs.includes(need.verb)) return tooNarrow(need.verb, `This needs the verb ${need.verb}.`);
  if (token.agentIds !== null && need.agentId === null)
    return tooNarrow(need.verb, 'This token is for certain agents, and the path of this route contains no agent.');
  if (token.agentIds !== null && !token.agentIds.includes(need.agentId!))
    return tooNarrow(need.verb, 'This token is for other agents.');
  if (need.role !== null && ROLES.indexOf(role) > ROLES.indexOf(need.role))
    return new Refusal('role_missing', `This needs the role ${need.role}; that of the token is ${role}.`);
  return role;
}

/**
 * A person's token has the person's current role. A token of the organization has a fixed role, as long as the
 * responsible person (who also knows its value) could create the token today.
 */
function roleOf({ kind, role, memberRole }: FoundToken): Role | null {
  if (memberRole === null || kind === 'person') return memberRole;
  return memberRole === 'owner' || memberRole === 'admin' ? role : null;
}

export const tooNarrow = (verb: string, detail: string): Refusal =>
  new Refusal('token_too_narrow', detail, { headers: { 'WWW-Authenticate': challengeScope(verb) } });
