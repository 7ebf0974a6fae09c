import { DEFAULT_TOKEN_DAYS, MAX_TOKENS } from '../../../contract/dashboard/access-tokens.ts';
import type { Role, TokenKind, TokenRole, TokenVerb } from '../../../contract/permissions.ts';
import { Refusal } from '../../../contract/problems.ts';
import { digestBytes } from '../../access/api-keys/digest.ts';
import { mintToken, shownTokenPrefix } from '../../access/tokens/token-format.ts';
import { newId } from '../../kernel/ids.ts';
import { countTokens, findAgents, holdSession, insertToken } from '../../store/access-tokens/tokens.ts';
import type { Queryable } from '../../store/db.ts';
import { lockMembers, readRole } from '../../store/members/members.ts';
import { type Actor, recordAudit } from '../../store/organizations/audit.ts';
import type { AccessTokensDeps, TokenMaker } from './deps.ts';

export type TokenWanted = {
  label: string;
  kind: TokenKind;
  role: TokenRole | null;
  verbs: TokenVerb[];
  agentIds: string[] | null;
  /** Null: the token does not end. Absent: the token ends after the default time. */
  days: number | null | undefined;
  /** The token that this token replaces. */
  replaces: string | null;
};

const DAY_MS = 86_400_000;

/**
 * Waits for the lock of the members, reads the role under the lock, and locks the session. A person who is being
 * removed, or whose session is being ended, leaves no token behind.
 */
export async function lockMaker(tx: Queryable, orgId: string, maker: TokenMaker): Promise<Role> {
  await lockMembers(tx, orgId);
  const role = await readRole(tx, orgId, maker.userId);
  if (role === null) throw new Refusal('organization_not_found');
  if (!(await holdSession(tx, maker.userId, maker.sessionId))) throw new Refusal('session_missing');
  return role;
}

/** Creates a value and writes the token with its audit entry. Only the return value contains the value of the token. */
export async function writeToken(
  { region, digest }: Pick<AccessTokensDeps, 'region' | 'digest'>,
  tx: Queryable,
  orgId: string,
  wanted: TokenWanted,
  maker: TokenMaker,
  actor: Actor,
): Promise<{ id: string; value: string }> {
  const { label, kind, role, verbs, agentIds, days = DEFAULT_TOKEN_DAYS, replaces } = wanted;
  if ((await countTokens(tx, orgId, maker.userId)) >= MAX_TOKENS) throw new Refusal('token_limit_reached');
  await checkAgents(tx, orgId, agentIds);
  const value = mintToken(region);
  const id = newId('token');
  const prefix = shownTokenPrefix(value);
  const expiresAt = days === null ? null : new Date(Date.now() + days * DAY_MS);
  const token = {
    id,
    label,
    prefix,
    kind,
    role,
    verbs,
    agentIds,
    expiresAt,
    userId: maker.userId,
    byProvider: maker.onlyOrgId !== null,
    signInFactor: maker.signInFactor,
  };
  const digested = digest(value);
  await insertToken(tx, orgId, token, { digest: digestBytes(digested), generation: digest.generation });
  const facts = {
    label,
    prefix,
    kind,
    verbs,
    ...(role !== null && { role }),
    ...(agentIds !== null && { agent_ids: agentIds }),
    expires_at: expiresAt?.toISOString() ?? null,
    ...(replaces !== null && { replaces }),
  };
  await recordAudit(tx, { orgId, actor, action: 'access_token.created', subjectId: id, facts });
  return { id, value };
}

async function checkAgents(tx: Queryable, orgId: string, agentIds: readonly string[] | null): Promise<void> {
  if (agentIds === null) return;
  const found = await findAgents(tx, orgId, agentIds);
  const errors = agentIds
    .map((id, at) => ({ id, pointer: `/agent_ids/${at}` }))
    .filter(({ id }) => !found.has(id))
    .map(({ pointer }) => ({ pointer, code: 'not_found', detail: 'There is no such agent in this organization.' }));
  if (errors.length > 0) throw new Refusal('validation_failed', undefined, { errors });
}
