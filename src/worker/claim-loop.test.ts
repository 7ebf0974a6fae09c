import { pino } from 'pino';
import { afterEach, expect, test, vi } from 'vitest';
import { type ClaimLoop, type ClaimLoopOptions, createClaimLoop, hasLeaseForCall } from './claim-loop.ts';

let loop: ClaimLoop<number, number, number> | undefined;
afterEach(async () => {
  vi.useRealTimers();
  await loop?.stop(0);
});

/** A loop over the numbers 1, 2, 3, …; each claim takes as many as it may. */
function start(its: Partial<ClaimLoopOptions<number, number, number>> = {}) {
  const claims: number[] = [];
  let next = 1;
  loop = createClaimLoop<number, number, number>({
    rows: 'numbers',
    log: pino({ level: 'silent' }),
    pollMs: 5,
    capacity: 3,
    batch: 2,
    leaseSeconds: 30,
    claim: async (limit) => {
      claims.push(limit);
      return { claimed: Array.from({ length: limit }, () => next++), isMoreDue: true };
    },
    renew: async () => undefined,
    work: async ({ row }) => void (await loop!.store(row)),
    complete: async (outcomes) => outcomes,
    storesAtOnce: 1,
    ids: (row) => ({ row }),
    onBegin: () => {},
    onEnd: (_, wasFull) => wasFull,
    ...its,
  });
  loop.start();
  return { loop, claims };
}

/** Work that ends when it is aborted. */
const untilAborted = ({ abort }: { abort: AbortController }) =>
  new Promise<void>((resolve) => abort.signal.addEventListener('abort', () => resolve(), { once: true }));

test('the loop never exceeds its capacity, and claims nothing when it is full', async () => {
  const { loop, claims } = start({ work: untilAborted });
  await expect.poll(() => loop.underWay().length).toBe(3);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(claims).toEqual([2, 1]);
});

test('a row that ends while the worker is full causes a claim immediately, long before the next poll', async () => {
  const { loop, claims } = start({ work: untilAborted, pollMs: 60_000 });
  await expect.poll(() => loop.underWay().length).toBe(3);
  loop.underWay()[0]!.abort.abort();
  await expect.poll(() => claims).toEqual([2, 1, 1]);
});

test('only work on rows that another worker has claimed is aborted', async () => {
  const aborted: number[] = [];
  const { loop } = start({
    leaseSeconds: 0.03,
    work: async (work) => {
      await untilAborted(work);
      aborted.push(work.row);
    },
    renew: async () => (row) => row !== 2,
  });
  await expect.poll(() => aborted).toEqual([2]);
  expect(loop.isStopping()).toBe(false);
});

test('a stop waits for work in progress, then aborts it', async () => {
  const ended: number[] = [];
  const { loop } = start({
    work: async (work) => {
      await untilAborted(work);
      ended.push(work.row);
    },
  });
  await expect.poll(() => loop.underWay().length).toBe(3);
  const stopped = loop.stop(40);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(ended).toEqual([]);
  await stopped;
  expect(ended).toEqual([1, 2, 3]);
});

test('an outcome that the database cannot store at first is stored later', async () => {
  let refused = 2;
  const due = [7];
  const stored: number[] = [];
  start({
    claim: async () => ({ claimed: due.splice(0), isMoreDue: false }),
    work: ({ row }) => loop!.storeWithRetries(row),
    complete: async (outcomes) => {
      if (refused-- > 0) throw new Error('the database is away');
      stored.push(...outcomes);
      return outcomes;
    },
  });
  await expect.poll(() => stored).toEqual([7]);
});

test('an outcome is stored after a deadlock, even while the worker stops', async () => {
  let deadlocks = 2;
  const due = [7];
  const stored: number[] = [];
  const { loop } = start({
    claim: async () => ({ claimed: due.splice(0), isMoreDue: false }),
    work: async (work) => {
      await untilAborted(work);
      await loop.storeWithRetries(work.row);
    },
    complete: async (outcomes) => {
      if (deadlocks-- > 0) throw Object.assign(new Error('deadlock detected'), { code: '40P01' });
      stored.push(...outcomes);
      return outcomes;
    },
  });
  await expect.poll(() => loop.underWay().length).toBe(1);
  await loop.stop(0);
  expect(stored).toEqual([7]);
});

test('a claim that is too old makes no external call', () => {
  const claimedBefore = (ms: number) => ({ row: 1, since: performance.now() - ms, abort: new AbortController() });
  expect(hasLeaseForCall(claimedBefore(1_000), 30)).toBe(true);
  expect(hasLeaseForCall(claimedBefore(14_000), 30)).toBe(false);
});
