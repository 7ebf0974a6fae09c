import type { Logger } from 'pino';
import { denyExpired } from '../../features/approvals/decide-approval.ts';
import { findExpired } from '../../store/approvals/write.ts';
import type { Db } from '../../store/db.ts';
import { createLookLoop, type LookLoop, type WhenDue } from '../look-loop.ts';

const POLL_MS = 1_000;
/** One run of the loop handles at most this many approvals, and the next batch follows immediately. */
const BATCH = 50;

/**
 * Denies the approvals whose deadline has passed, each in a short transaction. If two workers process the same
 * approval, the second worker finds it decided, so no lease is needed. An approval that fails does not stop the others.
 */
export function createApprovalExpiry({
  db,
  log,
  whenDue,
  onExpired,
}: {
  db: Db;
  log: Logger;
  whenDue?: WhenDue;
  onExpired(): void;
}): Pick<LookLoop, 'start' | 'wake' | 'stop'> {
  const loop = createLookLoop({
    failure: 'the worker cannot read expired approvals; it tries again',
    log,
    pollMs: POLL_MS,
    whenDue,
    look: async () => {
      const due = await findExpired(db, BATCH);
      let failures = 0;
      for (const { orgId, id } of due) {
        if (loop.isStopping()) break;
        try {
          if (await denyExpired({ db }, orgId, id)) onExpired();
        } catch (error) {
          failures++;
          log.warn({ err: error, approval: id }, 'an expired approval could not be denied; the worker tries again');
        }
      }
      return due.length === BATCH && failures < BATCH;
    },
  });
  return loop;
}
