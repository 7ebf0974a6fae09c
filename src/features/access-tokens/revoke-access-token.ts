import type { AccessTokenRecord } from '../../../contract/dashboard/access-tokens.ts';
import type { Role } from '../../../contract/permissions.ts';
import { revokeToken } from '../../store/access-tokens/tokens.ts';
import { type Actor, recordAudit } from '../../store/organizations/audit.ts';
import type { AccessTokensDeps } from './deps.ts';
import { foundToken, presentToken } from './present-token.ts';

/**
 * Revokes a token permanently. Every request reads its token from the database, so after the commit no node accepts the
 * token. Members can revoke their own tokens, and owners and admins can revoke any token. A second revoke changes
 * nothing.
 */
export async function revokeAccessToken(
  { db }: Pick<AccessTokensDeps, 'db'>,
  orgId: string,
  id: string,
  acting: { userId: string; role: Role },
  actor: Actor,
): Promise<AccessTokenRecord> {
  const row = await foundToken(db, orgId, id, acting);
  await db.transaction(async (tx) => {
    if (!(await revokeToken(tx, orgId, id, actor.userId))) return;
    const facts = { label: row.label, kind: row.kind };
    await recordAudit(tx, { orgId, actor, action: 'access_token.revoked', subjectId: id, facts });
  });
  return presentToken(await foundToken(db, orgId, id, acting));
}
