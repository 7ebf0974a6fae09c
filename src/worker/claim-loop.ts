import type { Logger } from 'pino';
import { createBatcher } from '../kernel/batcher.ts';
import { isDeadlock, retryWhile } from '../store/db.ts';
import { createLookLoop, type WhenDue } from './look-loop.ts';

/**
 * The loop of all workers with leased queues (src/store/queue/leased-queue.ts). The loop claims due rows, works on them
 * concurrently, renews the leases of rows in progress, stores the outcomes in batches, and stops in order. Work that is
 * stored page by page uses this loop through paged-loop.ts.
 */
export type Worker = {
  start(): void;
  /** Call this method when a row became due, so that the loop claims immediately instead of at the next poll. */
  wake(): void;
  /**
   * Stops claiming and waits for work in progress, for at most `graceMs`. After `graceMs`, the remaining work is
   * aborted.
   */
  stop(graceMs: number): Promise<void>;
};

export type ClaimLoop<Row, Outcome, Stored> = Worker & {
  isStopping(): boolean;
  /** The rows in progress, in any order. */
  underWay(): Work<Row>[];
  /** Stores an outcome in a batch. The promise rejects when the database fails. */
  store(outcome: Outcome): Promise<Stored>;
  /** Stores an outcome with retries, because the external call was made and its result must not be lost. */
  storeWithRetries(outcome: Outcome): Promise<void>;
};

export type Work<Row> = {
  row: Row;
  /** The start of the claim in milliseconds of `performance.now()`, measured before the claim was sent. */
  since: number;
  abort: AbortController;
};

export type ClaimLoopOptions<Row, Outcome, Stored> = {
  /** The name of the rows in log lines, such as "runs". */
  rows: string;
  log: Logger;
  pollMs: number;
  whenDue?: WhenDue;
  /** The loop has at most this many rows in progress. */
  capacity: number;
  /** Maximum number of rows in one claim, and in one storing statement. */
  batch: number;
  leaseSeconds: number;
  /** Claims up to `limit` due rows. `isMoreDue`: whether more rows may be due. */
  claim(limit: number): Promise<{ claimed: Row[]; isMoreDue: boolean }>;
  /**
   * Extends the leases. The function may return a test for the rows that still belong to this worker. The loop aborts
   * the work on all rows that fail the test.
   */
  renew(rows: Row[]): Promise<((row: Row) => boolean) | void>;
  /** Works on one row until its end. A rejection is logged, and the row is claimed again when its lease ends. */
  work(work: Work<Row>): Promise<void>;
  /** Returns one outcome per item, in the order of the items. Runs again if it rejects because of a deadlock. */
  complete(outcomes: Outcome[]): Promise<(Stored | Error)[]>;
  /** Maximum storing statements in progress. */
  storesAtOnce: number;
  /** The IDs of a row, for log lines. */
  ids(row: Row): Record<string, unknown>;
  /**
   * The functions `onBegin` and `onEnd` count the work in progress for limits. `onEnd` returns whether a row that was
   * skipped may now be claimed.
   */
  onBegin(row: Row): void;
  onEnd(row: Row, wasFull: boolean): boolean;
};

export function createClaimLoop<Row, Outcome, Stored>(
  options: ClaimLoopOptions<Row, Outcome, Stored>,
): ClaimLoop<Row, Outcome, Stored> {
  const { log, capacity, leaseSeconds } = options;
  const underWay = new Map<Work<Row>, Promise<void>>();
  let heartbeat: NodeJS.Timeout | undefined;

  const batcher = createBatcher<Outcome, Stored>({
    size: options.batch,
    batchesAtOnce: options.storesAtOnce,
    queue: capacity * 2,
    send: (outcomes) => retryWhile(isDeadlock, DEADLOCK_TRIES, () => options.complete(outcomes)),
    full: () => new Error(`The worker of ${options.rows} is stopping`),
  });

  const loop = createLookLoop({
    failure: `the worker cannot claim ${options.rows}; it tries again`,
    log,
    pollMs: options.pollMs,
    whenDue: options.whenDue,
    look: async () => {
      const limit = Math.min(options.batch, capacity - underWay.size);
      // A worker at its capacity makes no claim. When a row ends, the loop wakes again.
      if (limit <= 0) return false;
      const since = performance.now();
      const { claimed, isMoreDue } = await options.claim(limit);
      for (const row of claimed) begin(row, since);
      return isMoreDue;
    },
  });

  function begin(row: Row, since: number): void {
    const work = { row, since, abort: new AbortController() };
    options.onBegin(row);
    const done = options
      .work(work)
      .catch((error: unknown) =>
        log.warn(
          { err: error, ...options.ids(row) },
          'the outcome of claimed work could not be stored; it is claimed again when its lease ends',
        ),
      )
      .finally(() => {
        const wasFull = underWay.size === capacity;
        underWay.delete(work);
        if (options.onEnd(row, wasFull)) loop.wake();
      });
    underWay.set(work, done);
  }

  async function renew(): Promise<void> {
    const inProgress = [...underWay.keys()];
    if (inProgress.length === 0) return;
    const isOurs = await options.renew(inProgress.map(({ row }) => row)).catch(() => undefined);
    if (!isOurs) return;
    for (const work of inProgress) if (underWay.has(work) && !isOurs(work.row)) work.abort.abort();
  }

  return {
    isStopping: loop.isStopping,
    underWay: () => [...underWay.keys()],
    store: batcher.add,
    storeWithRetries: (outcome) => storeWithRetries(() => batcher.add(outcome), loop.isStopping),
    start: () => {
      heartbeat = setInterval(() => void renew(), (leaseSeconds * 1_000) / 3);
      loop.start();
    },
    wake: loop.wake,
    stop: async (graceMs) => {
      await loop.stop();
      const all = Promise.all(underWay.values());
      await within(all, graceMs);
      for (const { abort } of underWay.keys()) abort.abort();
      await within(all, ABORT_GRACE_MS);
      clearInterval(heartbeat);
      await batcher.drain();
    },
  };
}

/** After an abort, work has this much time to store its outcome. */
const ABORT_GRACE_MS = 2_000;

const within = (all: Promise<unknown>, ms: number): Promise<unknown> =>
  Promise.race([all, new Promise((resolve) => setTimeout(resolve, ms).unref())]);

/** A call to a provider may take 15 s (kernel/egress), so it starts only if at least this much of the lease is left. */
const NEEDED_LEASE_MS = 17_000;

/**
 * Returns false if the claim is too old for an external call. A worker that was suspended (with its machine or process)
 * must not make calls for rows that other workers have claimed since.
 */
export const hasLeaseForCall = ({ since }: Work<unknown>, leaseSeconds: number): boolean =>
  performance.now() - since <= leaseSeconds * 1_000 - NEEDED_LEASE_MS;

/**
 * Outcomes are stored at most this many times if the statement is the victim of a deadlock, also while the worker stops.
 * A victim has stored nothing.
 */
const DEADLOCK_TRIES = 3;

const STORE_ATTEMPTS = 5;

async function storeWithRetries(store: () => Promise<unknown>, isStopping: () => boolean): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await store();
      return;
    } catch (error) {
      if (attempt >= STORE_ATTEMPTS || isStopping()) throw error;
      await new Promise((resolve) => setTimeout(resolve, 250 * 2 ** attempt));
    }
  }
}
