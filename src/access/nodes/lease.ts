import type { Clock } from '../../kernel/clock.ts';
import type { LeaseStore, Timing } from './protocol.ts';
import type { ServerWatch } from './server-watch.ts';
import type { Subject } from '../types.ts';

/**
 * The right to answer from memory. A node has this right for one lease from the start of a read of the change log. The
 * node must have applied everything that it read, and its row must have accepted the position afterwards. A revoke
 * waits until every row has passed the revoke or has not changed for longer than a lease. A node with a valid lease has
 * dropped every key whose revoke was confirmed. (Gray and Cheriton, "Leases", 1989.)
 */
export type Lease = {
  good(): boolean;
  /**
   * Makes one renewal, which begins after this call. The promise rejects when the database cannot be reached. If the
   * renewal is rejected, the lease expires.
   */
  renew(): Promise<void>;
  /**
   * Releases the lease and removes the row, so that no revoke waits for this node. After the release, the node cannot
   * renew the lease.
   */
  release(): Promise<void>;
  /**
   * The ID of this node's row, if the row was registered on this run of the database server. A change that was
   * committed on an earlier run may be lost, and this node may have cached its subjects again. If the run differs,
   * changes wait for this row as for the row of any other node.
   */
  rowOn(server: string): string | null;
  /** The number of nodes that have a row, including this node. */
  nodes(): number;
  /** The time since the start of the latest successful renewal. Infinite: no renewal has succeeded yet. */
  ageMs(): number;
};

/** The cache of the node. Removes one subject or all subjects from the cache. */
export type Memory = { drop(subject: Subject): void; flush(): void };

export type LeaseDeps = Timing & {
  store: LeaseStore;
  clock: Clock;
  memory: Memory;
  server: ServerWatch;
  newNodeId(): string;
};

/** Wall time may be behind monotonic time by this much (because of an NTP step) before it counts as a fault. */
const MAX_LAG_MS = 1_000;

export function createLease(deps: LeaseDeps): Lease {
  const { store, clock, memory, server, leaseMs, marginMs } = deps;
  let node: { id: string; server: string; position: number; nodes: number } | null = null;
  let from = 0;
  let until = Number.NEGATIVE_INFINITY;
  let wallFrom = 0;
  let released = false;

  const lose = (): void => {
    until = Number.NEGATIVE_INFINITY;
  };

  const extend = (start: number, wallStart: number): void => {
    if (released) return;
    from = start;
    wallFrom = wallStart;
    until = start + leaseMs - marginMs;
  };

  // Each registration creates a row with a new name, because an abandoned registration may still arrive and must not
  // change another row.
  async function register(start: number, wallStart: number): Promise<void> {
    lose();
    const former = node;
    node = null;
    const id = deps.newNodeId();
    memory.flush();
    const registered = await store.register(id);
    // crash point: lease:after-register The cache is cleared only now. Data that was read before the row existed may be
    // older than a change that this node never reads.
    memory.flush();
    server.observe(registered.server, registered.serverAgeMs);
    node = { id, server: registered.server, position: registered.position, nodes: registered.nodes };
    extend(start, wallStart);
    // The node removes its old row, so that other nodes do not wait for this row.
    if (former) await store.remove(former.id).catch(() => {});
  }

  async function renewOnce(): Promise<void> {
    if (released) return;
    const start = clock.monotonic();
    const wallStart = clock.wall();
    if (node === null) return register(start, wallStart);
    const reading = await store.readLog(node.id, node.position, node.server);
    server.observe(reading.server, 0);
    // After the database server has changed, the end of the change log may be lost, and its numbers may be used again.
    if (reading.server !== node.server) return register(start, wallStart);
    // Every number of the log stands for one change. If some numbers are missing, a clean-up removed their changes.
    const isWhole = reading.subjects.length === reading.head - node.position;
    if (!isWhole) return register(start, wallStart);
    for (const subject of reading.subjects) memory.drop(subject);
    node.position = reading.head;
    // crash point: lease:before-renew
    const renewed = reading.renewed ?? (await store.renew(node.id, node.position, node.server));
    if (renewed === null) return register(clock.monotonic(), clock.wall());
    node.nodes = renewed.nodes;
    extend(start, wallStart);
  }

  const renewals = oneAtATime(renewOnce);

  return {
    good: () => {
      const now = clock.monotonic();
      if (now >= until) return false;
      // After a suspend, the monotonic clock continues from where it stopped, but the wall clock shows the real time.
      const wallElapsed = clock.wall() - wallFrom;
      return wallElapsed < leaseMs - marginMs && wallElapsed >= now - from - MAX_LAG_MS;
    },
    renew: renewals.begin,
    release: async () => {
      released = true;
      lose();
      await renewals.current()?.catch(() => {});
      if (node) await store.remove(node.id);
      node = null;
    },
    rowOn: (server) => (node?.server === server ? node.id : null),
    nodes: () => node?.nodes ?? 1,
    ageMs: () => (from === 0 ? Number.POSITIVE_INFINITY : clock.monotonic() - from),
  };
}

/** A call during a renewal gets the next renewal, which begins after the call. */
function oneAtATime(work: () => Promise<void>) {
  let running: Promise<void> | null = null;
  let next: Promise<void> | null = null;
  const run = (): Promise<void> => {
    running = work().finally(() => {
      running = null;
    });
    return running;
  };
  return {
    current: () => running,
    begin: (): Promise<void> => {
      if (running === null) return run();
      next ??= running
        .catch(() => {})
        .then(() => {
          next = null;
          return run();
        });
      return next;
    },
  };
}
