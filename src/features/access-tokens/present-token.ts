import type { AccessTokenRecord } from '../../../contract/dashboard/access-tokens.ts';
import { Refusal } from '../../../contract/problems.ts';
import type { Role } from '../../../contract/permissions.ts';
import { isAtLeast } from '../../access/sessions/session-gate.ts';
import { timestamp } from '../../kernel/clock.ts';
import { readToken, type TokenRow } from '../../store/access-tokens/tokens.ts';
import type { Queryable } from '../../store/db.ts';

export const presentToken = (row: TokenRow): AccessTokenRecord => ({
  id: row.id,
  prefix: row.prefix,
  label: row.label,
  kind: row.kind,
  user_id: row.userId,
  user_name: row.userName,
  role: row.role,
  verbs: row.verbs,
  agent_ids: row.agentIds,
  state: row.revokedAt !== null ? 'revoked' : row.hasExpired ? 'expired' : 'active',
  created_at: timestamp(row.createdAt),
  expires_at: row.expiresAt && timestamp(row.expiresAt),
  last_used_at: row.lastUsedAt && timestamp(row.lastUsedAt),
  revoked_at: row.revokedAt && timestamp(row.revokedAt),
});

/** A token that this person may see, which is the person's own token, or any token for owners and admins. */
export async function foundToken(
  db: Queryable,
  orgId: string,
  id: string,
  { userId, role }: { userId: string; role: Role },
): Promise<TokenRow> {
  const row = await readToken(db, orgId, id);
  if (row === null || (row.userId !== userId && !isAtLeast(role, 'admin'))) throw new Refusal('token_not_found');
  return row;
}
