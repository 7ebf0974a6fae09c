import type { NewAccessToken, ReplaceAccessTokenBody } from '../../../contract/dashboard/access-tokens.ts';
import { Refusal } from '../../../contract/problems.ts';
import { isAtLeast } from '../../access/sessions/session-gate.ts';
import { readToken, revokeToken } from '../../store/access-tokens/tokens.ts';
import { type Actor, recordAudit } from '../../store/organizations/audit.ts';
import type { AccessTokensDeps, TokenMaker } from './deps.ts';
import { foundToken, presentToken } from './present-token.ts';
import { lockMaker, writeToken } from './write-token.ts';

/**
 * Creates another value for a token, with the same rights. The previous value of the token is refused immediately. A
 * token of the organization then belongs to the person who replaces it. No one can take the token over in another way,
 * because the previous person knows the old value.
 */
export async function replaceAccessToken(
  deps: AccessTokensDeps,
  orgId: string,
  id: string,
  { expires_in_days: days }: ReplaceAccessTokenBody,
  maker: TokenMaker,
  actor: Actor,
): Promise<NewAccessToken> {
  return deps.db.transaction(async (tx) => {
    const own = await lockMaker(tx, orgId, maker);
    const row = await foundToken(tx, orgId, id, { userId: maker.userId, role: own });
    if (row.kind === 'person' && row.userId !== maker.userId)
      throw new Refusal('role_missing', 'Only the person of a token can replace it. You can revoke the token.');
    if (row.kind === 'organization' && !isAtLeast(own, 'admin'))
      throw new Refusal('role_missing', `A token of the organization needs the role admin; yours is ${own}.`);
    if (row.revokedAt !== null)
      throw new Refusal('token_not_found', 'This token has been revoked. Create a new token.');
    await revokeToken(tx, orgId, id, actor.userId);
    const facts = { label: row.label, kind: row.kind, reason: 'replaced' };
    await recordAudit(tx, { orgId, actor, action: 'access_token.revoked', subjectId: id, facts });
    const { label, kind, role, verbs, agentIds } = row;
    const made = await writeToken(
      deps,
      tx,
      orgId,
      { label, kind, role, verbs, agentIds, days, replaces: id },
      maker,
      actor,
    );
    return { ...presentToken((await readToken(tx, orgId, made.id))!), value: made.value };
  });
}
