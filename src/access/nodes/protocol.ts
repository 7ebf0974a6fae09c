import type { Subject } from '../types.ts';

/**
 * The interface between the lease protocol and the database (docs/adr/0102): one ordered log of changes, and one row
 * for each node that may answer from memory. lease.ts and barrier.ts use only this, so that a model of the database
 * with its own clock can run them through thousands of schedules (test/protocol/protocol.model.test.ts).
 */
export type LeaseStore = {
  /**
   * Creates a new row for a node with an empty cache. The row's position is the log's head at the time of the write.
   */
  register(nodeId: string): Promise<Registered>;
  /**
   * The entries after `position`, read in one snapshot. If there are none, the node has applied the whole log, so the
   * same statement also does the work of `renew`.
   */
  readLog(nodeId: string, position: number, server: string): Promise<LogReading>;
  /** Stores how far the node has applied the log. Null: the row is gone, or this is another server than `server`. */
  renew(nodeId: string, position: number, server: string): Promise<Renewed | null>;
  remove(nodeId: string): Promise<void>;
  leases(): Promise<LeaseReading>;
  /** Removes a row that did not change while it was watched, if it still has not changed. */
  removeDead(lease: LeaseRow): Promise<void>;
};

/** `server` identifies one run of the database server. The value changes with a restart or a failover. */
export type Registered = { position: number; server: string; serverAgeMs: number; nodes: number };
export type LogReading = {
  server: string;
  head: number;
  subjects: readonly Subject[];
  /** Null: the log has new entries, the row of the node is gone, or this is another server. */
  renewed: Renewed | null;
};
export type Renewed = { nodes: number };
export type LeaseRow = { nodeId: string; position: number; renewNo: number };
export type LeaseReading = { server: string; serverAgeMs: number; leases: readonly LeaseRow[] };

export type Timing = {
  /** How long a node may answer from memory after the start of its last renewal. */
  readonly leaseMs: number;
  /**
   * The node subtracts the margin and the waiting side adds it. The margin covers clocks that run at slightly different
   * speeds.
   */
  readonly marginMs: number;
};

export const LEASE_MS = 1_000;
/**
 * The margin is a tenth. Oscillators differ by less than a thousandth, and virtual machines under load by a few
 * hundredths.
 */
export const marginOf = (leaseMs: number): number => Math.ceil(leaseMs / 10);
