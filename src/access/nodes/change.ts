import { Refusal } from '../../../contract/problems.ts';
import type { Clock } from '../../kernel/clock.ts';
import { type Db, isUnreachable, type Queryable } from '../../store/db.ts';
import { takePlaces } from '../../store/nodes/leases.ts';
import type { Barrier } from './barrier.ts';
import type { Lease, Memory } from './lease.ts';
import type { Subject } from '../types.ts';
import { undecided } from '../undecided.ts';

/** A change that is committed. `everywhere` resolves with the moment from which it holds on every node. */
export type Committed<T> = { result: T; seq: number; everywhere: () => Promise<Date> };

export type Changes = {
  commit<T>(subjects: Subject | Subject[], work: (tx: Queryable, seq: number) => Promise<T>): Promise<Committed<T>>;
  change<T>(
    subjects: Subject | Subject[],
    work: (tx: Queryable, seq: number) => Promise<T>,
  ): Promise<{ result: T; effectiveAt: Date }>;
  /** Waits for a change that somebody else committed. */
  everywhere: (seq: number) => Promise<Date>;
};

type ChangeDeps = {
  db: Db;
  lease: Lease;
  barrier: Barrier;
  memory: Memory;
  clock: Clock;
  /** Told how long it took until a change held everywhere. */
  onSettled?: (waitedMs: number) => void;
};

/**
 * Changes that can turn a yes into a no. The transaction takes its place in the change log before it does anything
 * else and holds the log's lock until it commits: keep `work` short. This node forgets the subjects in the same turn in
 * which it learns of the commit, even of a commit whose outcome is unknown, so the next request here is refused
 * whatever the other nodes do.
 */
export function createChanges({ db, lease, barrier, memory, clock, onSettled }: ChangeDeps): Changes {
  async function commit<T>(
    subjects: Subject | Subject[],
    work: (tx: Queryable, seq: number) => Promise<T>,
  ): Promise<Committed<T>> {
    const list = [subjects].flat();
    let isCommitting = false;
    try {
      const { result, seq } = await db.transaction(async (tx) => {
        const seq = await takePlaces(tx, list);
        // crash point: revoke:place-taken
        const result = await work(tx, seq);
        isCommitting = true;
        // crash point: revoke:before-commit
        return { result, seq };
      });
      // crash point: revoke:after-commit
      return { result, seq, everywhere: () => settle(seq, lease.nodeId()) };
    } catch (error) {
      if (!isUnreachable(error)) throw error;
      throw isCommitting ? new Refusal('outcome_unknown', undefined, { cause: error }) : undecided(error);
    } finally {
      if (isCommitting) for (const subject of list) memory.drop(subject);
    }
  }

  async function settle(seq: number, self: string | null): Promise<Date> {
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
        // It is done, but who waits for it to hold everywhere cannot be told so.
        throw new Refusal('outcome_unknown', undefined, { cause: error });
      }
    },
    everywhere: async (seq) => {
      // We are one of the nodes that have to read as far as that.
      await lease.renew().catch(() => {});
      return settle(seq, null);
    },
  };
}
