import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Db } from '../store/db.ts';
import type { WatchedQueue } from '../store/queue/next-due.ts';
import { createDueWatch } from './due-watch.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A process whose loops have nothing to do. `due`: the times at which the first rows become due. */
function start({ queues = ['turns'] as WatchedQueue[], pollMs = 200 } = {}) {
  const due: Partial<Record<WatchedQueue, number>> = {};
  const state = { isAlone: true, looks: 0, uses: 0, woken: [] as WatchedQueue[], answer: () => Promise.resolve() };
  const query = async (): Promise<unknown> => {
    state.looks++;
    state.uses += 2;
    await state.answer();
    const inMs = Object.entries(due).map(([queue, at]) => [queue, at - performance.now()]);
    return { rows: [{ ...Object.fromEntries(queues.map((queue) => [queue, null])), ...Object.fromEntries(inMs) }] };
  };
  const $client = { query, useCount: () => state.uses };
  const watch = createDueWatch({ db: { $client } as unknown as Db, isAlone: () => state.isAlone });
  const cancels = queues.map((queue) => {
    let cancel = (): void => {};
    const wait = (): void => {
      cancel = watch(queue)(pollMs, () => {
        state.woken.push(queue);
        wait();
      });
    };
    wait();
    return () => cancel();
  });
  return { state, due, stop: () => cancels.forEach((cancel) => cancel()) };
}
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

test('an idle process that runs alone sends one statement a second for all queues, and none after its stop', async () => {
  const { state, stop } = start({ queues: ['turns', 'deliveries', 'events', 'campaigns', 'imports'] });
  await pass(20_000);
  expect(state.looks).toBeLessThanOrEqual(20);
  expect(state.looks).toBeGreaterThanOrEqual(19);
  expect(state.woken).toEqual([]);
  stop();
  const { looks } = state;
  await pass(5_000);
  expect(state.looks).toBe(looks);
});

test('a row that another process wrote is found within 200 ms, with one statement for all queues', async () => {
  const { state, due } = start({ queues: ['turns', 'deliveries', 'events'] });
  state.isAlone = false;
  await pass(2_000);
  expect(state.looks).toBe(10);
  due.deliveries = performance.now();
  await pass(200);
  expect(state.woken).toEqual(['deliveries']);
});

test('a row that this process wrote is found within 200 ms, even if a query for due rows was in progress', async () => {
  const { state, due } = start();
  await pass(1_100);
  state.uses += 2;
  due.turns = performance.now();
  await pass(200);
  expect(state.woken).toEqual(['turns']);
  delete due.turns;
  await pass(200);
  state.uses += 2;
  state.answer = async () => void (state.uses += 1);
  await pass(200);
  state.answer = () => Promise.resolve();
  const { looks } = state;
  await pass(200);
  expect(state.looks).toBe(looks + 1);
});

test('a row that becomes due later wakes its loop on time, without another statement', async () => {
  const { state, due } = start();
  due.turns = performance.now() + 900;
  await pass(800);
  const { looks } = state;
  expect(state.woken).toEqual([]);
  await pass(200);
  expect(state.woken).toEqual(['turns']);
  expect(state.looks).toBe(looks);
});

test('due rows that cannot be claimed wake their loop only at its own delay', async () => {
  const { state, due } = start({ queues: ['embeddings'], pollMs: 2_000 });
  due.embeddings = 0;
  await pass(10_000);
  expect(state.woken.length).toBeGreaterThanOrEqual(5);
  expect(state.woken.length).toBeLessThanOrEqual(6);
});

test('every loop claims at its own delay if the query for due rows fails', async () => {
  const { state } = start({ queues: ['turns', 'events'] });
  state.answer = () => Promise.reject(new Error('the database is away'));
  await pass(1_000);
  expect(state.woken.filter((queue) => queue === 'events')).toHaveLength(5);
});

test('a query for due rows that hangs delays the claims by a second at most', async () => {
  const { state } = start();
  const answer = Promise.withResolvers<void>();
  state.answer = () => answer.promise;
  await pass(200);
  await pass(1_000);
  expect(state.woken).toEqual(['turns']);
  await pass(400);
  expect(state.woken).toHaveLength(3);
  expect(state.looks).toBe(1);
  answer.resolve();
});
