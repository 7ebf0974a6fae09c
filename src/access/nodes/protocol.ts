import type { Subject } from '../types.ts';

/**
 * The lease protocol's view of the database (docs/adr/0102): one ordered log of changes, one row per node that may
 * answer from memory. lease.ts and barrier.ts know nothing else, so that a model of the database, with a clock of its
 * own, can drive them through thousands of schedules (protocol.model.test.ts).
 */
export type LeaseStore = {
  /** A new row for a node that has nothing in memory yet; its position is the log's head as the row is written. */
  register(nodeId: string): Promise<Registered>;
  /** What comes after `position`, in one snapshot. */
  readLog(position: number): Promise<LogReading>;
  /** Writes how far the node has applied the log; null: the row is gone, or this is another server than `server`. */
  renew(nodeId: string, position: number, server: string): Promise<Renewed | null>;
  remove(nodeId: string): Promise<void>;
  leases(): Promise<LeaseReading>;
  /** Removes a row that was watched standing still, if it still stands there. */
  removeDead(lease: LeaseRow): Promise<void>;
};

/** `server` names one life of the database server: another one after a restart or a failover. */
export type Registered = { position: number; server: string; serverAgeMs: number };
export type LogReading = { server: string; head: number; subjects: readonly Subject[] };
export type Renewed = { nodes: number };
export type LeaseRow = { nodeId: string; position: number; renewNo: number };
export type LeaseReading = { server: string; serverAgeMs: number; leases: readonly LeaseRow[] };

export type Timing = {
  /** How long a node may answer from memory after it began its last renewal. */
  readonly leaseMs: number;
  /** Taken off by the holder and added by who waits: covers clocks that run at slightly different speeds. */
  readonly marginMs: number;
};

export const LEASE_MS = 1_000;
/** A tenth: oscillators differ by less than a thousandth, virtual machines under strain by a few hundredths. */
export const marginOf = (leaseMs: number): number => Math.ceil(leaseMs / 10);

/**
 * The parts that make the protocol safe. The model test switches each off once and must then find a schedule in
 * which a revoked key is accepted; production never does.
 */
export type Remedy =
  | 'count from before the read'
  | 'apply before telling'
  | 'start anew when the row is gone'
  | 'start anew on another server'
  | 'notice a gap in the log'
  | 'compare wall and monotonic time'
  | 'wait for the position'
  | 'wait the whole lease'
  | 'wait after a restart'
  | 'check the generation'
  | 'join only a flight of this generation'
  | 'forget own changes at once'
  | 'flush on registration';

export const NONE: ReadonlySet<Remedy> = new Set();
