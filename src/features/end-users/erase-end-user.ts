import { Refusal } from '../../../contract/problems.ts';
import { type Actor, recordAudit } from '../../store/organizations/audit.ts';
import { sqlState } from '../../store/db.ts';
import { eraseEndUser as eraseRows, readErased } from '../../store/end-users/erase.ts';
import { holdEndUser } from '../../store/end-users/lock-end-users.ts';
import { holdFence } from '../../store/fence/hold-fence.ts';
import { scrubInPages } from '../../store/idempotency/erase.ts';
import type { EndUsersDeps, Writer } from './deps.ts';

const TRIES = 5;

/**
 * Removes an end user permanently. A concurrent write for the erased person is retried and creates a new record. Stored
 * responses may be many, so they lose the person first. After a crash, the person exists and the call can be repeated.
 */
export async function eraseEndUser(
  { db, suppression }: Pick<EndUsersDeps, 'db' | 'suppression'>,
  { orgId, keyId, from }: Writer,
  id: string,
  /** The member for the audit log, which contains the member but never the erased person. */
  actor: Actor | null = null,
): Promise<void> {
  const known = await db.transaction(async (tx) => {
    await holdFence(tx, { orgId, keyId, from });
    if (!(await holdEndUser(tx, orgId, id))) throw new Refusal('end_user_not_found');
    return readErased(tx, orgId, id);
  });
  const since = await scrubInPages(db, orgId, known);
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction(async (tx) => {
        await holdFence(tx, { orgId, keyId, from });
        const erased = await eraseRows(tx, orgId, id, suppression, since);
        if (!erased) throw new Refusal('end_user_not_found');
        // The deleted test cases are counted in the audit log, so that a member who publishes sees why passes are
        // missing.
        const facts = erased.tests > 0 ? { tests: erased.tests } : {};
        if (actor) await recordAudit(tx, { orgId, actor, action: 'end_user.erased', subjectId: id, facts });
      });
    } catch (error) {
      const state = sqlState(error);
      const isOvertaken = state === '23503' || state === '40P01' || state === '40001';
      if (!isOvertaken || attempt === TRIES) throw error;
    }
  }
}
