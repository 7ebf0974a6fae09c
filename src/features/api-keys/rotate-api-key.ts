import { type NewKey, OVERLAP_MS, type RotateKeyBody } from '../../../contract/dashboard/keys.ts';
import type { KeyScope, Permission } from '../../../contract/permissions.ts';
import { presentLimits } from '../../access/limits/present-limits.ts';
import { Refusal } from '../../../contract/problems.ts';
import { revokeApiKey as revokeRow, scheduleRevoke } from '../../store/api-keys/revoke.ts';
import { type Actor, recordAudit } from '../../store/organizations/audit.ts';
import type { ApiKeysDeps } from './deps.ts';
import { foundApiKey, readApiKey } from './read-api-key.ts';
import { settleRevoke } from './revoke-api-key.ts';
import { checkKeyConditions, writeApiKey } from './write-api-key.ts';

/**
 * Creates a new key with the same label, rights, networks and limits, and sets an expiry for the old one. The new key
 * has no expiry of its own; the old one never lives longer than before. The total of the new key is what remains of
 * the old one's.
 */
export async function rotateApiKey(
  deps: ApiKeysDeps,
  orgId: string,
  id: string,
  overlap: RotateKeyBody['overlap'],
  actor: Actor,
): Promise<NewKey> {
  const { db, access, now } = deps;
  const old = await foundApiKey(db, orgId, id);
  const { label, agentId, campaignId } = old;
  if (old.remaining === 0)
    throw new Refusal('key_used_up', 'Nothing remains of the total of this key: create a new key.');
  const wanted = {
    label,
    scope: old.scope as KeyScope,
    agentId,
    campaignId,
    permissions: old.permissions as Permission[],
    allowedNetworks: old.allowedNetworks,
    rotatedFrom: id,
    revokeAt: null,
    limits: presentLimits({ ...old, total: old.remaining }),
  };
  const committed = await access.commit({ kind: 'key', id }, async (tx, seq) => {
    await checkKeyConditions(tx, orgId, { agentId: null, campaignId: null });
    const isActive =
      overlap === 'now'
        ? await revokeRow(tx, orgId, id, { userId: actor.userId, seq })
        : await scheduleRevoke(tx, orgId, id, new Date(now() + OVERLAP_MS[overlap]));
    if (!isActive) throw new Refusal('key_revoked_already');
    const made = await writeApiKey(deps, tx, orgId, wanted, actor);
    const facts = { overlap, replaced_by: made.id };
    await recordAudit(tx, { orgId, actor, action: 'api_key.rotated', subjectId: id, facts });
    return made;
  });
  if (overlap === 'now') await settleRevoke(deps, { orgId, id }, committed);
  const { id: newKeyId, value } = committed.result;
  return { ...(await readApiKey(deps, orgId, newKeyId)), value };
}
