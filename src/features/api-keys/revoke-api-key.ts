import type { KeyRecord } from '../../../contract/dashboard/keys.ts';
import type { Leak } from '../../../contract/leak-report.ts';
import type { Committed } from '../../access/nodes/change.ts';
import { isUnreachable } from '../../store/db.ts';
import { markEffective, revokeApiKey as revokeRow } from '../../store/api-keys/revoke.ts';
import { type Actor, recordAudit } from '../../store/organizations/audit.ts';
import type { ApiKeysDeps } from './deps.ts';
import { foundApiKey, readApiKey } from './read-api-key.ts';
import { notifyOwnersOfLeak } from './notify-owners.ts';

/**
 * Revokes a key permanently. The response is "revoked" when no node accepts the key any more. If some node may still
 * accept the key, the response is "revoking", and any node finishes the revoke. A second revoke has no effect and
 * returns the same time. `leak`: the key was found in public, so its owners are notified.
 */
export async function revokeApiKey(
  deps: ApiKeysDeps,
  orgId: string,
  id: string,
  actor: Actor,
  leak: Leak | null = null,
): Promise<KeyRecord> {
  const { db, access } = deps;
  const before = await foundApiKey(db, orgId, id);
  if (before.effectiveAt !== null) return readApiKey(deps, orgId, id);
  const isFirst = before.revokedAt === null || before.revokedSeq === null;
  const committed = isFirst ? await revokeNow() : null;
  const seq = committed?.seq ?? before.revokedSeq!;
  await finishRevoke(deps, { orgId, id }, { seq, everywhere: committed?.everywhere ?? (() => access.everywhere(seq)) });
  return readApiKey(deps, orgId, id);

  function revokeNow(): Promise<Committed<void>> {
    return access.commit({ kind: 'key', id }, async (tx, seq) => {
      // Another revoke was first and has an earlier position in the log, so waiting for this position covers both
      // revokes.
      if (!(await revokeRow(tx, orgId, id, { userId: actor.userId, seq, leak }))) return;
      const facts = { label: before.label, prefix: before.prefix, ...(leak && { leak }) };
      await recordAudit(tx, { orgId, actor, action: 'api_key.revoked', subjectId: id, facts });
      if (leak) await notifyOwnersOfLeak(deps, tx, before, leak);
    });
  }
}

/**
 * Waits until the revoke is effective everywhere, and stores the time. The state stays "revoking" if the database is
 * lost during the wait.
 */
export async function finishRevoke(
  { db }: Pick<ApiKeysDeps, 'db'>,
  key: { orgId: string; id: string },
  { seq, everywhere }: Pick<Committed<unknown>, 'seq' | 'everywhere'>,
): Promise<void> {
  try {
    await everywhere();
    // crash point: revoke:before-stamp
    await markEffective(db, [key], seq);
    // crash point: revoke:before-answer
  } catch (error) {
    if (!isUnreachable(error)) throw error;
  }
}
