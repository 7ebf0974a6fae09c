import { SYSTEM, recordAudit } from '../../store/organizations/audit.ts';
import { markEffective, readOpenRevokes, revokeDue } from '../../store/api-keys/revoke.ts';
import type { Db } from '../../store/db.ts';
import type { Changes } from '../nodes/change.ts';
import type { Subject } from '../types.ts';

/** Maximum number of keys per round. The next round of the sweep follows within a second. */
const ROUND = 200;

/**
 * Revokes keys whose scheduled end has passed, and finishes revokes whose wait was interrupted by a crash or a lost
 * database. Nodes refuse such keys by their own clocks from the second of their end. Any node may run the sweep, even
 * several nodes at the same time.
 */
export async function sweepRevokes(db: Db, changes: Changes): Promise<void> {
  const { due, ...open } = await readOpenRevokes(db, ROUND);
  if (due.length > 0) {
    const subjects = due.map(({ id }): Subject => ({ kind: 'key', id }));
    await changes.commit(subjects, async (tx, seq) => {
      const revoked = await revokeDue(tx, due, { userId: SYSTEM.userId, seq });
      for (const { orgId, id } of revoked) {
        await recordAudit(tx, {
          orgId,
          actor: SYSTEM,
          action: 'api_key.revoked',
          subjectId: id,
          facts: { scheduled: true },
        });
      }
    });
  }
  const { unfinished } = due.length > 0 ? await readOpenRevokes(db, ROUND) : open;
  if (unfinished.length === 0) return;
  const last = Math.max(...unfinished.map(({ seq }) => seq));
  await changes.everywhere(last);
  await markEffective(db, unfinished, last);
}
