import { type NewKey, OVERLAP_MS, type RotateKeyBody } from '../../../contract/dashboard/keys.ts';
import type { KeyScope, Permission } from '../../../contract/permissions.ts';
import { presentLimits } from '../../access/limits/present-limits.ts';
import { Refusal } from '../../../contract/problems.ts';
import type { ApiKeyRow } from '../../store/api-keys/read.ts';
import { revokeApiKey as revokeRow, scheduleRevoke } from '../../store/api-keys/revoke.ts';
import { findReplacement, takeRemaining } from '../../store/api-keys/total.ts';
import type { Queryable } from '../../store/db.ts';
import { type Actor, recordAudit } from '../../store/organizations/audit.ts';
import type { ApiKeysDeps } from './deps.ts';
import { foundApiKey, readApiKey } from './read-api-key.ts';
import { finishRevoke } from './revoke-api-key.ts';
import { checkKeyConditions, writeApiKey } from './write-api-key.ts';

/**
 * Creates a new key with the same label, rights, networks and limits, and sets an expiry for the old key. The new key
 * has no expiry. The old key never lives longer than before. The remaining calls of the old key become the total of the
 * new key.
 */
export async function rotateApiKey(
  deps: ApiKeysDeps,
  orgId: string,
  id: string,
  overlap: RotateKeyBody['overlap'],
  actor: Actor,
): Promise<NewKey> {
  const committed = await deps.access.commit({ kind: 'key', id }, async (tx, seq) => {
    // The key is read under the lock of the log, so the new key gets limits and networks that another call has just
    // lowered.
    const old = await foundApiKey(tx, orgId, id);
    const isActive =
      overlap === 'now'
        ? await revokeRow(tx, orgId, id, { userId: actor.userId, seq })
        : await scheduleRevoke(tx, orgId, id, new Date(deps.now() + OVERLAP_MS[overlap]));
    if (!isActive) throw new Refusal('key_revoked_already');
    const wanted = { ...rightsOf(old), limits: presentLimits({ ...old, total: await remainderOf(tx, old) }) };
    await checkKeyConditions(tx, orgId, { agentId: null, campaignId: null });
    const made = await writeApiKey(deps, tx, orgId, wanted, actor);
    const facts = { overlap, replaced_by: made.id };
    await recordAudit(tx, { orgId, actor, action: 'api_key.rotated', subjectId: id, facts });
    return made;
  });
  if (overlap === 'now') await finishRevoke(deps, { orgId, id }, committed);
  const { id: newKeyId, value } = committed.result;
  return { ...(await readApiKey(deps, orgId, newKeyId)), value };
}

const rightsOf = (old: ApiKeyRow) => ({
  label: old.label,
  scope: old.scope as KeyScope,
  agentId: old.agentId,
  campaignId: old.campaignId,
  permissions: old.permissions as Permission[],
  allowedNetworks: old.allowedNetworks,
  rotatedFrom: old.id,
  revokeAt: null,
});

/**
 * The total of the new key is the number of calls that no node has reserved. During an overlap, the old key uses calls
 * of the new key, so that both keys together never make more calls than the total.
 */
async function remainderOf(tx: Queryable, { orgId, id, total }: ApiKeyRow): Promise<number | null> {
  if (total === null) return null;
  if ((await findReplacement(tx, orgId, id)) !== null)
    throw new Refusal('key_used_up', 'This key was rotated before. Rotate the newer key that replaced this key.');
  const calls = await takeRemaining(tx, orgId, id);
  if (calls === 0)
    throw new Refusal('key_used_up', 'The total number of calls of this key is used up: create a new key.');
  return calls;
}
