import { Refusal } from '../../../contract/problems.ts';
import type { Clock } from '../../kernel/clock.ts';
import { type Db, isUnreachable, type Queryable } from '../../store/db.ts';
import { takePlaces } from '../../store/nodes/leases.ts';
import type { Barrier } from './barrier.ts';
import type { Lease, Memory } from './lease.ts';
import type { Subject } from '../types.ts';
import { accessUnavailable } from '../access-unavailable.ts';

/** A committed change. `everywhere` resolves with the time at which the change became effective on every node. */
export type Committed<T> = { result: T; seq: number; everywhere: () => Promise<Date> };

export type Changes = {
  commit<T>(subjects: Subject | Subject[], work: (tx: Queryable, seq: number) => Promise<T>): Promise<Committed<T>>;
  change<T>(
    subjects: Subject | Subject[],
    work: (tx: Queryable, seq: number) => Promise<T>,
  ): Promise<{ result: T; effectiveAt: Date }>;
  /** Waits for a change that another caller committed. */
  everywhere: (seq: number) => Promise<Date>;
};

type ChangeDeps = {
  db: Db;
  lease: Lease;
  barrier: Barrier;
  memory: Memory;
  clock: Clock;
  /** This function is called with the time that a change needed until it was effective on every node. */
  onSettled?: (waitedMs: number) => void;
};

/**
 * Handles changes that can turn a permitted call into a refused call. The transaction first takes its position in the
 * change log and has the log's lock until the commit, so keep `work` short. This node drops the subjects from its cache
 * in the same turn of the event loop in which the commit returns, even if the outcome is unknown. This node refuses the
 * next request, whatever the other nodes do.
 */
export function createChanges({ db, lease, barrier, memory, clock, onSettled }: ChangeDeps): Changes {
  async function commit<T>(
    subjects: Subject | Subject[],
    work: (tx: Queryable, seq: number) => Promise<T>,
  ): Promise<Committed<T>> {
    const list = [subjects].flat();
    let isCommitting = false;
    try {
      const { result, seq, server } = await db.transaction(async (tx) => {
        const { seq, server } = await takePlaces(tx, list);
        // crash point: revoke:place-taken
        const result = await work(tx, seq);
        isCommitting = true;
        // crash point: revoke:before-commit
        return { result, seq, server };
      });
      // crash point: revoke:after-commit
      return { result, seq, everywhere: () => makeEffective(seq, lease.rowOn(server)) };
    } catch (error) {
      if (!isUnreachable(error)) throw error;
      throw isCommitting ? new Refusal('outcome_unknown', undefined, { cause: error }) : accessUnavailable(error);
    } finally {
      if (isCommitting) for (const subject of list) memory.drop(subject);
    }
  }

  async function makeEffective(seq: number, self: string | null): Promise<Date> {
    const since = clock.monotonic();
    await barrier.wait(seq, self);
    onSettled?.(clock.monotonic() - since);
    return new Date(clock.wall());
  }

  return {
    commit,
    change: async (subjects, work) => {
      const { result, everywhere } = await commit(subjects, work);
      try {
        return { result, effectiveAt: await everywhere() };
      } catch (error) {
        // The change is committed, but not yet confirmed as effective on every node.
        throw new Refusal('outcome_unknown', undefined, { cause: error });
      }
    },
    everywhere: async (seq) => {
      // This node must also read the log up to the position of the change.
      await lease.renew().catch(() => {});
      return makeEffective(seq, null);
    },
  };
}
