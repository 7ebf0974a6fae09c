import type { Subject } from '../types.ts';

/**
 * The lease protocol's interface to the database (docs/adr/0102): one ordered log of changes, and one row for each node
 * that may answer from memory. lease.ts and barrier.ts use only this, so that a model of the database with its own
 * clock can run them through thousands of schedules (protocol.model.test.ts).
 */
export type LeaseStore = {
  /** A new row for a node with an empty cache; its position is the log's head at the time of the write. */
  register(nodeId: string): Promise<Registered>;
  /** The entries after `position`, in one snapshot. */
  readLog(position: number): Promise<LogReading>;
  /** Writes how far the node has applied the log; null: the row is gone, or this is another server than `server`. */
  renew(nodeId: string, position: number, server: string): Promise<Renewed | null>;
  remove(nodeId: string): Promise<void>;
  leases(): Promise<LeaseReading>;
  /** Removes a row that did not move while it was watched, if it still has not moved. */
  removeDead(lease: LeaseRow): Promise<void>;
};

/** `server` identifies one run of the database server: it changes with a restart or a failover. */
export type Registered = { position: number; server: string; serverAgeMs: number };
export type LogReading = { server: string; head: number; subjects: readonly Subject[] };
export type Renewed = { nodes: number };
export type LeaseRow = { nodeId: string; position: number; renewNo: number };
export type LeaseReading = { server: string; serverAgeMs: number; leases: readonly LeaseRow[] };

export type Timing = {
  /** How long a node may answer from memory after the start of its last renewal. */
  readonly leaseMs: number;
  /** The holder subtracts it and the waiting side adds it: covers clocks that run at slightly different speeds. */
  readonly marginMs: number;
};

export const LEASE_MS = 1_000;
/** A tenth: oscillators differ by less than a thousandth, virtual machines under load by a few hundredths. */
export const marginOf = (leaseMs: number): number => Math.ceil(leaseMs / 10);

/**
 * The parts that make the protocol safe. The model test switches each off once and must then find a schedule in which a
 * revoked key is accepted; production never does.
 */
export type Remedy =
  | 'count from before the read'
  | 'apply before renewing'
  | 'register again when the row is gone'
  | 'register again on another server'
  | 'notice a gap in the log'
  | 'compare wall and monotonic time'
  | 'wait for the position'
  | 'wait the whole lease'
  | 'wait after a restart'
  | 'wait for the own row after a failover'
  | 'check the generation'
  | 'join only a flight of this generation'
  | 'drop own changes immediately'
  | 'flush on registration';

export const NONE: ReadonlySet<Remedy> = new Set();
