import { Refusal } from '../../../contract/problems.ts';
import { type Actor, recordAudit } from '../../store/organizations/audit.ts';
import { sqlState } from '../../store/db.ts';
import { eraseEndUser as eraseRows } from '../../store/end-users/erase.ts';
import { holdFence } from '../../store/fence/hold-fence.ts';
import type { EndUsersDeps, Writer } from './deps.ts';

const TRIES = 5;

/** Removes an end user permanently. A concurrent write for the erased person is retried and creates a new record. */
export async function eraseEndUser(
  { db, suppression }: Pick<EndUsersDeps, 'db' | 'suppression'>,
  { orgId, keyId, from }: Writer,
  id: string,
  /** The member for the audit log, which contains the member but never the erased person. */
  actor: Actor | null = null,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction(async (tx) => {
        await holdFence(tx, { orgId, keyId, from });
        const erased = await eraseRows(tx, orgId, id, suppression);
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
