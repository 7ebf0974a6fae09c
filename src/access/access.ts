import type { RateFamily, RateLimits } from '../../contract/limits.ts';
import type { Region } from '../../contract/regions.ts';
import type { Clock } from '../kernel/clock.ts';
import { newId } from '../kernel/ids.ts';
import type { Chained } from '../kernel/key-chain.ts';
import type { Logger } from '../kernel/log.ts';
import { readKeyByDigest, readKeyById, readTargets } from '../store/api-keys/records.ts';
import { writeLastUsed } from '../store/api-keys/last-used.ts';
import { readUnreserved, reserveCalls, returnCalls } from '../store/api-keys/total.ts';
import type { Db } from '../store/db.ts';
import { listenForHints, openLeaseTable } from '../store/nodes/leases.ts';
import { type Admit, createAdmit } from './admit.ts';
import type { IsOwnPage } from './read-credential.ts';
import { createBarrier } from './nodes/barrier.ts';
import { type Changes, createChanges } from './nodes/change.ts';
import type { ClientTokens } from './client-tokens/client-token.ts';
import { createDigest, digestForms } from './api-keys/digest.ts';
import { createFills } from './api-keys/directory-fill.ts';
import { createDirectory } from './api-keys/directory.ts';
import { createLastUsed } from './api-keys/last-used.ts';
import { type Memory, createLease } from './nodes/lease.ts';
import { type CallBlocks, createCallBlocks } from './limits/call-blocks.ts';
import { type RateState, createLimits } from './limits/limits.ts';
import { LEASE_MS, marginOf } from './nodes/protocol.ts';
import { sweepRevokes } from './api-keys/revoke-sweep.ts';
import { createServerWatch } from './nodes/server-watch.ts';
import type { SharedCounters } from './limits/shared-counters.ts';
import type { FactLookups } from './target-facts.ts';
import type { Caller } from './types.ts';
import { type Heartbeat, startHeartbeat } from './heartbeat.ts';

/**
 * Identifies the caller, decides which calls are allowed, limits their number, and makes a revoke effective on every
 * node. The parts of this room are the decision (decide.ts), the cache (directory.ts), the right to use the cache
 * (lease.ts) and the wait for all other nodes (barrier.ts).
 */
export type Access = Changes & {
  /**
   * Rows 1 to 11 of the order of checks (docs/security.md). Returns the result immediately if memory has it, and
   * otherwise a promise. Throws or rejects with a Refusal.
   */
  admit: Admit;
  /** True if the call has a client token, expired or not, and comes from a page of the token's origins. */
  isOwnPage: IsOwnPage;
  /**
   * Row 12 of the order of checks, the rate limits of the key and of the family, if the route has one. The promise
   * rejects with Refusal `rate_limited`.
   */
  limit(caller: Caller, family: RateFamily | null): Promise<RateState>;
  /**
   * Applies the key's own limit for one end user, to each name that the call has for this person. The promise rejects
   * in the same way as the promise of `limit`.
   */
  limitEndUser(caller: Caller, names: readonly string[]): Promise<void>;
  /** The number of calls that the key's total still allows. Null: the key has no total. */
  remaining(caller: Caller): Promise<number | null>;
  facts: FactLookups;
  /** Registers this node. The promise rejects when the database cannot be reached. */
  start(): Promise<void>;
  /**
   * Releases the lease, writes pending data, closes the connections. Call this function when no request is in progress.
   */
  stop(): Promise<void>;
  /** True while this node may decide from memory. */
  ready(): boolean;
  /** The current state of this node, for /metrics. */
  state(): AccessState;
};

export type AccessState = {
  /** The time since the start of the renewal on which the lease is based. Infinite: no renewal succeeded. */
  leaseAgeMs: number;
  /** The number of nodes that have a row, including this node. */
  nodes: number;
  directoryEntries: number;
  /** False: each node enforces a share of every limit. */
  isLimitShared: boolean;
};

export type AccessDeps = {
  db: Db;
  databaseUrl: string;
  /** The role of the node, which is a part of the names of its connections. */
  role?: string;
  region: Region;
  baseUrls: Readonly<Record<Region, string>>;
  /** The HMAC key of the stored digests, derived from PARLEY_SECRET. */
  pepper: Buffer & Chained;
  clientTokens: ClientTokens;
  limits: RateLimits;
  /** The rate counters that all nodes share. Absent: each node enforces a share of every limit. */
  shared?: SharedCounters | null;
  clock: Clock;
  /** This function is called with the time that a change needed to become effective on every node. */
  onSettled?: (waitedMs: number) => void;
  log: Logger;
  leaseMs?: number;
  directoryEntries?: number;
};

const PRUNE_MS = 60_000;
/** The interval at which a node returns unneeded calls of keys. */
const RETURN_MS = 1_000;

export function createAccess(deps: AccessDeps): Access {
  const { db, databaseUrl, role, clock, log, leaseMs = LEASE_MS } = deps;
  const timing = { leaseMs, marginMs: marginOf(leaseMs) };
  const quietly = (error: unknown): void => log.debug({ err: error }, 'A connection of the access room failed.');

  const table = openLeaseTable(databaseUrl, { role, timeoutMs: Math.max(leaseMs * 2, 1_000), onError: quietly });
  const directory = createDirectory({ clock, entries: deps.directoryEntries, absentMs: leaseMs });
  const server = createServerWatch(clock);
  const shared = { ...timing, store: table, clock, server };
  const blocks = openBlocks({ db, clock, onError: quietly });
  const memory = memoryOf(directory, blocks);
  const lease = createLease({ ...shared, memory, newNodeId: () => newId('node') });
  const barrier = createBarrier({ ...shared, sleep });
  const changes = createChanges({ db, lease, barrier, memory, clock, onSettled: deps.onSettled });
  const limits = createLimits(deps.limits, deps.shared, clock);
  const lastUsed = createLastUsed({
    clock,
    write: (uses) => writeLastUsed(db.$client, 'api_key', uses),
    onError: quietly,
  });
  const fills = createFills(directory, {
    readKey: (digest) => readKeyByDigest(db.$client, digestForms(digest)),
    readKeyById: (orgId, id) => readKeyById(db.$client, orgId, id),
    readTargets: (orgId, ids) => readTargets(db.$client, orgId, ids),
  });
  const digest = createDigest(deps.pepper);
  const isMoving = (orgId: string): boolean => db.$client.directory.isMoving(orgId);
  const parts = { digest, lease, directory, fills, lastUsed, blocks, isMoving };
  const { admit, isOwnPage, facts } = createAdmit({ ...deps, ...parts });

  let heartbeat: Heartbeat | null = null;
  let listener: ReturnType<typeof listenForHints> | null = null;
  let returning: NodeJS.Timeout | undefined;
  let prunedAt = clock.monotonic();

  const share = (nodes: number): void => {
    limits.share(nodes);
    blocks.share(nodes);
  };

  const sweep = async (): Promise<void> => {
    await sweepRevokes(db, changes);
    // If this node has the only row, there is no row to remove.
    if (lease.nodes() > 1) await barrier.sweep();
    if (clock.monotonic() - prunedAt < PRUNE_MS) return;
    prunedAt = clock.monotonic();
    await table.prune();
  };

  return {
    ...changes,
    admit,
    isOwnPage,
    facts,
    limit: limits.limit,
    limitEndUser: limits.limitEndUser,
    remaining: (caller) => remainingOf(db, blocks, caller),
    start: async () => {
      await lease.renew();
      share(lease.nodes());
      heartbeat = startHeartbeat({ leaseMs, lease, log, onNodes: share, sweep });
      // The return of calls runs apart from the sweep of the heartbeat, which may wait for the lease of another node.
      returning = setInterval(() => void blocks.sweep(), RETURN_MS);
      listener = listenForHints(databaseUrl, heartbeat.hint, { role, onError: quietly });
    },
    stop: async () => {
      await listener?.stop();
      await heartbeat?.stop();
      clearInterval(returning);
      await lastUsed.stop();
      await blocks.stop();
      await lease.release().catch(quietly);
      await table.close();
    },
    ready: () => lease.good(),
    state: () => ({
      leaseAgeMs: lease.ageMs(),
      nodes: lease.nodes(),
      directoryEntries: directory.size(),
      isLimitShared: deps.shared?.isWell() ?? false,
    }),
  };
}

const openBlocks = ({ db, clock, onError }: { db: Db; clock: Clock; onError: (error: unknown) => void }): CallBlocks =>
  createCallBlocks({
    clock,
    reserve: (wanted) => reserveCalls(db, wanted),
    giveBack: (returned) => returnCalls(db.$client, returned),
    onError,
  });

async function remainingOf(db: Db, blocks: CallBlocks, { orgId, keyId }: Caller): Promise<number | null> {
  const unreserved = await readUnreserved(db, orgId, keyId);
  return unreserved === null ? null : unreserved + blocks.left(keyId);
}

/** All data that a node may use only while it has a lease. */
const memoryOf = (...parts: readonly Memory[]): Memory => ({
  drop: (subject) => parts.forEach((part) => part.drop(subject)),
  flush: () => parts.forEach((part) => part.flush()),
});

const sleep = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
