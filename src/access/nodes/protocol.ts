import type { Subject } from '../types.ts';

/**
 * The interface between the lease protocol and the database (docs/adr/0102), with one ordered log of changes and one
 * row for each node that may answer from memory. The files lease.ts and barrier.ts use only this interface, so that a
 * model of the database can run them through thousands of schedules (test/protocol/protocol.model.test.ts).
 */
export type LeaseStore = {
  /**
   * Creates a new row for a node with an empty cache. The position of the new row is the head of the log at the time of
   * the write.
   */
  register(nodeId: string): Promise<Registered>;
  /**
   * Returns the entries after `position`, read in one snapshot. If the log has no new entries, the node has applied the
   * whole log, so the same statement also renews the row.
   */
  readLog(nodeId: string, position: number, server: string): Promise<LogReading>;
  /**
   * Stores the position up to which the node has applied the log. Null: the row does not exist any more, or the server
   * is not `server`.
   */
  renew(nodeId: string, position: number, server: string): Promise<Renewed | null>;
  remove(nodeId: string): Promise<void>;
  leases(): Promise<LeaseReading>;
  /** Removes a row that did not change while a node watched it, unless the row has changed after the watch. */
  removeDead(lease: LeaseRow): Promise<void>;
};

/** `server` identifies one run of the database server. The value of `server` changes with a restart or a failover. */
export type Registered = { position: number; server: string; serverAgeMs: number; nodes: number };
export type LogReading = {
  server: string;
  head: number;
  subjects: readonly Subject[];
  /** Null if the log has new entries, the row no longer exists, or the server is another server. */
  renewed: Renewed | null;
};
export type Renewed = { nodes: number };
export type LeaseRow = { nodeId: string; position: number; renewNo: number };
export type LeaseReading = { server: string; serverAgeMs: number; leases: readonly LeaseRow[] };

export type Timing = {
  /** A node may answer from memory for this long after the start of its last renewal. */
  readonly leaseMs: number;
  /**
   * The node subtracts the margin and the waiting side adds it. The margin covers clocks that run at slightly different
   * speeds.
   */
  readonly marginMs: number;
};

export const LEASE_MS = 1_000;
/**
 * The margin is a tenth of the lease. Oscillators differ by less than a thousandth, and virtual machines under load by
 * a few hundredths.
 */
export const marginOf = (leaseMs: number): number => Math.ceil(leaseMs / 10);
