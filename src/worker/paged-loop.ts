import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { createClaimLoop } from './claim-loop.ts';
import type { WhenDue } from './look-loop.ts';

/**
 * The claim loop for long work that is stored page by page, such as a file or a sync. The work renews its lease with
 * each page. When the worker stops, its work stops after the current page. The loop claims only one row at a time, so
 * that a worker does not reserve rows that another worker could start.
 */
export type PagedLoop = { start(): void; wake(): void; stop(): Promise<void> };

type PagedLoopOptions<Row> = {
  /** The name of the rows in log lines, such as "imports". */
  rows: string;
  log: Logger;
  pollMs: number;
  whenDue?: WhenDue;
  leaseSeconds: number;
  /** The loop has at most this many rows in progress. */
  capacity: number;
  claim(lease: string): Promise<Row | null>;
  /** The signal `stopping` is aborted when the worker stops. */
  work(row: Row, stopping: AbortSignal): Promise<void>;
  /** Decides the next step when `work` rejects. If `fail` rejects too, the row is claimed again after its lease. */
  fail(row: Row, error: unknown, stopping: AbortSignal): Promise<void>;
  /** The IDs of a row, for log lines. */
  ids(row: Row): Record<string, unknown>;
};

export function createPagedLoop<Row>(options: PagedLoopOptions<Row>): PagedLoop {
  const ending = new AbortController();
  const { rows, log, pollMs, whenDue, leaseSeconds, capacity, claim, work, fail, ids } = options;
  const loop = createClaimLoop<Row, never, never>({
    rows,
    log,
    pollMs,
    whenDue,
    leaseSeconds,
    capacity,
    batch: 1,
    claim: async () => {
      const row = await claim(randomUUID());
      return { claimed: row === null ? [] : [row], isMoreDue: row !== null };
    },
    work: ({ row }) => work(row, ending.signal).catch((error: unknown) => fail(row, error, ending.signal)),
    ids,
    // The work renews its lease and stores its pages.
    renew: async () => {},
    complete: async (none) => none,
    storesAtOnce: 1,
    onBegin: () => {},
    // The row may be due again, or may have blocked another row.
    onEnd: () => true,
  });
  return {
    start: loop.start,
    wake: loop.wake,
    stop: () => {
      ending.abort(new Error('The worker stops.'));
      // A page ends within its lease.
      return loop.stop(leaseSeconds * 1_000);
    },
  };
}
