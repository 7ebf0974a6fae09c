import type { Clock } from '../../kernel/clock.ts';
import type { LeaseStore, Timing } from './protocol.ts';
import type { ServerWatch } from './server-watch.ts';
import type { Subject } from '../types.ts';

/**
 * The right to answer from memory. A node holds it for one lease from the moment at which it *began* to read the change
 * log, provided that it has applied everything it read and that its row then accepted the position. A revoke waits
 * until every row has passed the revoke or has not moved for longer than a lease. So a node with a valid lease has
 * dropped every key whose revocation was answered. (Gray and Cheriton, "Leases", 1989.)
 */
export type Lease = {
  good(): boolean;
  /** One renewal that begins after this call. Rejects when the database cannot be reached: the lease expires. */
  renew(): Promise<void>;
  /** Releases the lease and removes the row, so that no revoke waits for this node. Final. */
  release(): Promise<void>;
  /**
   * This node's row, if it was registered on this run of the database server. A change that was committed on an earlier
   * one may be lost, and with it what this node dropped for it: then the row is waited for like any other.
   */
  rowOn(server: string): string | null;
  /** Nodes that have a row, including this one. */
  nodes(): number;
  /** Time since the start of the latest successful renewal; infinite: there was none. */
  ageMs(): number;
};

/** The cache of the node: drops one subject, or everything. */
export type Memory = { drop(subject: Subject): void; flush(): void };

export type LeaseDeps = Timing & {
  store: LeaseStore;
  clock: Clock;
  memory: Memory;
  server: ServerWatch;
  newNodeId(): string;
};

/** Wall time may lag behind monotonic time by this much (a step of NTP) before it counts as a fault. */
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

  // A row with a new name each time: an abandoned registration may still arrive and must not touch another row.
  async function register(start: number, wallStart: number): Promise<void> {
    lose();
    const former = node;
    node = null;
    const id = deps.newNodeId();
    memory.flush();
    const registered = await store.register(id);
    // crash point: lease:after-register
    // Only now: data that was read before the row existed may be older than a change that this node never learns of.
    memory.flush();
    server.observe(registered.server, registered.serverAgeMs);
    node = { id, server: registered.server, position: registered.position, nodes: 1 };
    extend(start, wallStart);
    // Only saves others the wait for a row that is no longer renewed.
    if (former) await store.remove(former.id).catch(() => {});
  }

  async function renewOnce(): Promise<void> {
    if (released) return;
    const start = clock.monotonic();
    const wallStart = clock.wall();
    if (node === null) return register(start, wallStart);
    const reading = await store.readLog(node.position);
    server.observe(reading.server, 0);
    // Its log may have lost its end, and its numbers may be used a second time.
    if (reading.server !== node.server) return register(start, wallStart);
    // Every number of the log is one change: if some are missing, they were removed by the clean-up.
    const isWhole = reading.subjects.length === reading.head - node.position;
    if (!isWhole) return register(start, wallStart);
    for (const subject of reading.subjects) memory.drop(subject);
    node.position = reading.head;
    // crash point: lease:before-renew
    const renewed = await store.renew(node.id, node.position, node.server);
    if (renewed === null) return register(clock.monotonic(), clock.wall());
    node.nodes = renewed.nodes;
    extend(start, wallStart);
  }

  const renewals = oneAtATime(renewOnce);

  return {
    good: () => {
      const now = clock.monotonic();
      if (now >= until) return false;
      // After a suspend, the monotonic clock continues where it stopped, but the wall clock does not.
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

/** A call during a run gets the next run, which begins after that call. */
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
