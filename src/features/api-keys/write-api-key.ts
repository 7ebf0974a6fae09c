import type { KeyLimits } from '../../../contract/key-limits.ts';
import type { KeyScope, Permission } from '../../../contract/permissions.ts';
import { hasApi } from '../../../contract/plans.ts';
import { invalidAt, Refusal } from '../../../contract/problems.ts';
import { digestBytes } from '../../access/api-keys/digest.ts';
import { mintKey, shownPrefix } from '../../access/api-keys/key-format.ts';
import { newId } from '../../kernel/ids.ts';
import { readKeyConditions } from '../../store/api-keys/read.ts';
import { insertApiKey } from '../../store/api-keys/write.ts';
import { type Actor, recordAudit } from '../../store/organizations/audit.ts';
import type { Queryable } from '../../store/db.ts';
import type { ApiKeysDeps } from './deps.ts';

export type KeyWanted = {
  label: string;
  scope: KeyScope;
  agentId: string | null;
  campaignId: string | null;
  permissions: Permission[];
  allowedNetworks: string[] | null;
  limits: KeyLimits | null;
  rotatedFrom: string | null;
  revokeAt: Date | null;
};

/**
 * Creates a key value and writes the key with its audit line, inside the caller's transaction. Only the return value
 * contains the value of the key.
 */
export async function writeApiKey(
  { region, digest }: Pick<ApiKeysDeps, 'region' | 'digest'>,
  tx: Queryable,
  orgId: string,
  wanted: KeyWanted,
  actor: Actor,
): Promise<{ id: string; value: string }> {
  const value = mintKey(region);
  const id = newId('key');
  const prefix = shownPrefix(value);
  const key = { id, prefix, ...wanted, createdBy: actor.userId };
  await insertApiKey(tx, orgId, key, digestBytes(digest(value)), digest.generation);
  const { label, scope, permissions, agentId, campaignId, allowedNetworks, limits, rotatedFrom, revokeAt } = wanted;
  const facts = {
    label,
    prefix,
    scope,
    permissions,
    ...(agentId !== null && { agent_id: agentId }),
    ...(campaignId !== null && { campaign_id: campaignId }),
    ...(allowedNetworks !== null && { allowed_networks: allowedNetworks }),
    ...(limits !== null && { limits }),
    ...(rotatedFrom !== null && { rotated_from: rotatedFrom }),
    ...(revokeAt !== null && { expires_at: revokeAt.toISOString() }),
  };
  await recordAudit(tx, { orgId, actor, action: 'api_key.created', subjectId: id, facts });
  return { id, value };
}

/** The function throws `plan_required` on the Free plan, and a fault for a missing target. */
export async function checkKeyConditions(
  tx: Queryable,
  orgId: string,
  targets: { agentId: string | null; campaignId: string | null },
): Promise<void> {
  const conditions = await readKeyConditions(tx, orgId, targets);
  if (conditions === null) throw new Refusal('organization_not_found');
  if (!hasApi(conditions.plan)) {
    throw new Refusal('plan_required', 'The organization is on the Free plan: API keys need the Paid plan.');
  }
  if (targets.agentId !== null && !conditions.hasAgent) {
    throw notThere('/agent_id', 'There is no such agent in this organization.');
  }
  if (targets.campaignId !== null && !conditions.hasCampaign) {
    throw notThere('/campaign_id', 'There is no such campaign in this organization.');
  }
}

const notThere = (pointer: string, detail: string): Refusal => invalidAt(pointer, 'not_found', detail);
