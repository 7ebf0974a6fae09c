import type { Clock } from '../../kernel/clock.ts';
import type { LeaseReading, LeaseRow, LeaseStore, Timing } from './protocol.ts';
import type { ServerWatch } from './server-watch.ts';

/**
 * Waits until no node can answer from a state before a change. Each node's row must have passed the change's position
 * in the log, or must not have changed for a lease and a margin, by our own monotonic clock. Clocks of two machines are
 * never compared. A dead or paused node delays a change by one lease, not forever.
 */
export type Barrier = {
  /** `self`: the row of a node that has already dropped the subjects, so the wait excludes this row. */
  wait(seq: number, self: string | null): Promise<void>;
  /** Checks the rows once, and removes rows of nodes that died without releasing their lease. */
  sweep(): Promise<void>;
};

export type BarrierDeps = Timing & {
  store: LeaseStore;
  clock: Clock;
  server: ServerWatch;
  sleep: (ms: number) => Promise<void>;
};

const FIRST_PAUSE_MS = 1;
const LONGEST_PAUSE_MS = 25;
/** The number of leases that a wait lasts at most while the database cannot be reached. */
const PATIENCE = 10;

type Watched = { renewNo: number; since: number };

export function createBarrier(deps: BarrierDeps): Barrier {
  const { store, clock, server, leaseMs, marginMs, sleep } = deps;
  const stillMs = leaseMs + marginMs;
  const swept = new Map<string, Watched>();

  async function look(): Promise<LeaseReading & { askedAt: number; answeredAt: number }> {
    const askedAt = clock.monotonic();
    const reading = await store.leases();
    server.observe(reading.server, reading.serverAgeMs);
    return { ...reading, askedAt, answeredAt: clock.monotonic() };
  }

  /** Returns true if `watched` has seen this row unchanged for long enough. */
  const isStill = (watched: Map<string, Watched>, row: LeaseRow, askedAt: number, answeredAt: number): boolean => {
    const seen = watched.get(row.nodeId);
    if (seen?.renewNo === row.renewNo) return askedAt - seen.since >= stillMs;
    watched.set(row.nodeId, { renewNo: row.renewNo, since: answeredAt });
    return false;
  };

  async function wait(seq: number, self: string | null): Promise<void> {
    const watched = new Map<string, Watched>();
    const startedAt = clock.monotonic();
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      try {
        const { leases, askedAt, answeredAt } = await look();
        const behind = leases.filter((row) => row.nodeId !== self && row.position < seq);
        const dead = behind.filter((row) => isStill(watched, row, askedAt, answeredAt));
        const isSettled = askedAt - server.sinceMs() >= stillMs;
        if (dead.length === behind.length && isSettled) {
          // The next wait does not have to watch the removed rows. A failed removal of dead rows causes no harm.
          for (const row of dead) await store.removeDead(row).catch(() => {});
          return;
        }
      } catch (error) {
        if (clock.monotonic() - startedAt > PATIENCE * leaseMs) throw error;
      }
      await sleep(pause);
    }
  }

  async function sweep(): Promise<void> {
    const { leases, askedAt, answeredAt } = await look();
    for (const row of leases) {
      if (!isStill(swept, row, askedAt, answeredAt)) continue;
      swept.delete(row.nodeId);
      await store.removeDead(row);
    }
    for (const nodeId of swept.keys()) if (!leases.some((row) => row.nodeId === nodeId)) swept.delete(nodeId);
  }

  return { wait, sweep };
}
