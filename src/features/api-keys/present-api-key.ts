import type { KeyRecord } from '../../../contract/dashboard/keys.ts';
import type { KeyScope, Permission } from '../../../contract/permissions.ts';
import { presentLimits } from '../../access/limits/present-limits.ts';
import { timestamp } from '../../kernel/clock.ts';
import type { ApiKeyRow } from '../../store/api-keys/read.ts';

/** The only format in which a key is returned. `now`: the time of the wall clock, in milliseconds. */
export const presentApiKey = (row: ApiKeyRow, now: number): KeyRecord => ({
  id: row.id,
  prefix: row.prefix,
  label: row.label,
  scope: row.scope as KeyScope,
  agent_id: row.agentId,
  campaign_id: row.campaignId,
  permissions: row.permissions as Permission[],
  allowed_networks: row.allowedNetworks,
  limits: presentLimits(row),
  remaining: row.remaining,
  state: stateOf(row, now),
  created_at: timestamp(row.createdAt),
  created_by: row.createdBy,
  last_used_at: row.lastUsedAt && timestamp(row.lastUsedAt),
  revoke_at: row.revokeAt && timestamp(row.revokeAt),
  revoked_at: row.revokedAt && timestamp(row.revokedAt),
  revoked_by: row.revokedBy,
  effective_at: row.effectiveAt && timestamp(row.effectiveAt),
  rotated_from: row.rotatedFrom,
  leak: row.leak,
});

/**
 * The state is "revoking" until no node can accept the key. A scheduled revoke is also "revoking" from its scheduled
 * time until no node can accept the key.
 */
function stateOf(row: ApiKeyRow, now: number): KeyRecord['state'] {
  if (row.effectiveAt !== null) return 'revoked';
  return row.revokedAt !== null || (row.revokeAt !== null && row.revokeAt.getTime() <= now) ? 'revoking' : 'active';
}
