import { sql } from 'drizzle-orm';
import type { Plan } from '../../../contract/permissions.ts';
import { hasApi } from '../../../contract/plans.ts';
import { Refusal } from '../../../contract/problems.ts';
import { isInNetworks, isUnrevoked } from './fence.ts';
import type { Queryable } from '../db.ts';
import { boundSilence } from '../nodes/leases.ts';

/**
 * The fence for writes that need several statements. The key's row stays locked until the transaction ends, so a
 * revocation is confirmed before or after the whole write. A node that is silent during the transaction loses the lock
 * and its transaction. This fence needs a lock, so frequent writes have the fence in their single statement.
 */
export async function holdFence(
  tx: Queryable,
  { orgId, keyId, from }: { orgId: string; keyId: string | null; from: string | null },
): Promise<void> {
  if (keyId === null) return;
  const found = await tx.execute<{ plan: Plan; inside: boolean | null }>(sql`
    SELECT o.plan, ${sql.raw(isInNetworks('k', 'c.came_from'))} AS inside, ${boundSilence}
    FROM api_key k JOIN organization o ON o.id = k.org_id CROSS JOIN (SELECT ${from}::text AS came_from) c
    WHERE k.org_id = ${orgId} AND k.id = ${keyId} AND ${sql.raw(isUnrevoked('k'))}
    FOR SHARE OF k`);
  if (found.rows.length === 0) throw new Refusal('key_revoked');
  if (found.rows[0]!.inside !== true) throw new Refusal('network_not_allowed');
  if (!hasApi(found.rows[0]!.plan)) throw new Refusal('plan_required');
}
