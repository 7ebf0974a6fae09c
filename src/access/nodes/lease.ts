import type { Clock } from '../../kernel/clock.ts';
import { type LeaseStore, NONE, type Remedy, type Timing } from './protocol.ts';
import type { ServerWatch } from './server-watch.ts';
import type { Subject } from '../types.ts';

/**
 * The right to answer from memory. A node holds it for one lease from the moment at which it *began* to read the
 * change log, provided that it has applied all it read and that its row then took the position in. Whoever revokes
 * waits until every row has passed the revoke or has stood still for longer than a lease, so a node whose lease is
 * good has forgotten every key whose revocation was answered. (Gray and Cheriton, "Leases", 1989.)
 */
export type Lease = {
  good(): boolean;
  /** One renewal that begins after this call. Rejects when the database cannot be reached: the lease runs out. */
  renew(): Promise<void>;
  /** Gives the lease up and removes the row, so that nobody waits for this node. Final. */
  release(): Promise<void>;
  nodeId(): string | null;
  /** Nodes that hold a row, this one included. */
  nodes(): number;
  /** Since the beginning of the renewal that counts; infinite: none has succeeded. */
  ageMs(): number;
};

/** What the node has in memory: to be forgotten piece by piece, or all at once. */
export type Memory = { drop(subject: Subject): void; flush(): void };

export type LeaseDeps = Timing & {
  store: LeaseStore;
  clock: Clock;
  memory: Memory;
  server: ServerWatch;
  newNodeId(): string;
  without?: ReadonlySet<Remedy>;
};

/** Wall time may lag behind monotonic time by this much (a step of NTP) before it is taken for a fault. */
const MAX_LAG_MS = 1_000;

export function createLease(deps: LeaseDeps): Lease {
  const { store, clock, memory, server, leaseMs, marginMs, without = NONE } = deps;
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

  // A row of a new name each time: a registration that was given up may still arrive, and must touch nobody's row.
  async function register(start: number, wallStart: number): Promise<void> {
    lose();
    const former = node;
    node = null;
    const id = deps.newNodeId();
    if (!without.has('flush on registration')) memory.flush();
    const registered = await store.register(id);
    // crash point: lease:after-register
    // Only now: what was read before the row stood there may be of before a change that nobody will tell us.
    if (!without.has('flush on registration')) memory.flush();
    server.observe(registered.server, registered.serverAgeMs);
    node = { id, server: registered.server, position: registered.position, nodes: 1 };
    extend(start, wallStart);
    // Only spares others the wait for a row that nobody renews.
    if (former) await store.remove(former.id).catch(() => {});
  }

  async function renewOnce(): Promise<void> {
    if (released) return;
    let start = clock.monotonic();
    let wallStart = clock.wall();
    if (node === null) return register(start, wallStart);
    const reading = await store.readLog(node.position);
    server.observe(reading.server, 0);
    if (without.has('start anew on another server')) node.server = reading.server;
    // Its log may have lost its end, and its numbers may be given out a second time.
    if (reading.server !== node.server) return register(start, wallStart);
    // Every number of the log is one change: fewer than there should be means that they were cleared away.
    const isWhole = reading.subjects.length === reading.head - node.position;
    if (!isWhole && !without.has('notice a gap in the log')) return register(start, wallStart);
    if (!without.has('apply before telling')) for (const subject of reading.subjects) memory.drop(subject);
    node.position = reading.head;
    // crash point: lease:before-renew
    const renewed = await store.renew(node.id, node.position, node.server);
    if (without.has('apply before telling')) for (const subject of reading.subjects) memory.drop(subject);
    if (renewed === null && !without.has('start anew when the row is gone')) {
      return register(clock.monotonic(), clock.wall());
    }
    node.nodes = renewed?.nodes ?? 1;
    if (without.has('count from before the read')) [start, wallStart] = [clock.monotonic(), clock.wall()];
    extend(start, wallStart);
  }

  // Renewals never overlap; who asks during one gets the next one.
  let running: Promise<void> | null = null;
  let next: Promise<void> | null = null;
  const begin = (): Promise<void> => {
    running = renewOnce().finally(() => {
      running = null;
    });
    return running;
  };

  return {
    good: () => {
      const now = clock.monotonic();
      if (now >= until) return false;
      if (without.has('compare wall and monotonic time')) return true;
      // A machine that was suspended finds its monotonic clock where it left it, but not the time of day.
      const wallElapsed = clock.wall() - wallFrom;
      return wallElapsed < leaseMs - marginMs && wallElapsed >= now - from - MAX_LAG_MS;
    },
    renew: () => {
      if (running === null) return begin();
      next ??= running
        .catch(() => {})
        .then(() => {
          next = null;
          return begin();
        });
      return next;
    },
    release: async () => {
      released = true;
      lose();
      await running?.catch(() => {});
      if (node) await store.remove(node.id);
      node = null;
    },
    nodeId: () => node?.id ?? null,
    nodes: () => node?.nodes ?? 1,
    ageMs: () => (from === 0 ? Number.POSITIVE_INFINITY : clock.monotonic() - from),
  };
}
