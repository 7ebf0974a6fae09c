import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createBatcher } from './batcher.ts';

/** A batcher whose batches end only when the test ends them. */
function heldBatcher() {
  const sent: { items: number[]; end(outcomes?: (number | Error)[]): void; fail(error: Error): void }[] = [];
  const batcher = createBatcher<number, number>({
    size: 5,
    batchesAtOnce: 2,
    queue: 20,
    send: (items) =>
      new Promise((resolve, reject) => {
        sent.push({ items, end: (outcomes = items) => resolve(outcomes), fail: reject });
      }),
    full: () => new Error('full'),
  });
  return { batcher, sent, sizes: () => sent.map(({ items }) => items.length) };
}

test('a single item is sent in the next turn of the event loop', async () => {
  const { batcher, sent, sizes } = heldBatcher();
  const outcome = batcher.add(1);
  await turn();
  expect(sizes()).toEqual([1]);
  sent[0]!.end();
  expect(await outcome).toBe(1);
});

test('items of several turns of the event loop are one batch while another batch is in progress', async () => {
  const { batcher, sizes } = heldBatcher();
  void batcher.add(1);
  await turn();
  for (let n = 0; n < 3; n++) {
    void batcher.add(n);
    await turn();
  }
  await expect.poll(sizes).toEqual([1, 3]);
});

test('a full batch does not wait for more items', async () => {
  const { batcher, sizes } = heldBatcher();
  void batcher.add(1);
  await turn();
  for (let n = 0; n < 12; n++) void batcher.add(n);
  await expect.poll(sizes).toEqual([1, 5]);
});

test('the next batch is sent before the outcomes of the last one are handled', async () => {
  const { batcher, sent, sizes } = heldBatcher();
  let atOutcome: number[] = [];
  const first = batcher.add(1).then(() => (atOutcome = sizes()));
  await turn();
  void batcher.add(2);
  sent[0]!.end();
  await first;
  expect(atOutcome).toEqual([1, 1]);
});

test('each item has its own outcome, and a failed batch fails all its items', async () => {
  const { batcher, sent } = heldBatcher();
  const [one, two] = [batcher.add(1), batcher.add(2)].map((work) => work.catch((error: unknown) => error));
  await turn();
  sent[0]!.end([new Error('refused'), 2]);
  expect(await one).toMatchObject({ message: 'refused' });
  expect(await two).toBe(2);
  const third = batcher.add(3).catch((error: unknown) => error);
  await turn();
  sent[1]!.fail(new Error('broken'));
  expect(await third).toMatchObject({ message: 'broken' });
});

test('a drained batcher refuses further items, and a drain ends when every item has its outcome', async () => {
  const { batcher, sent } = heldBatcher();
  const outcomes: number[] = [];
  void batcher.add(1).then((outcome) => outcomes.push(outcome));
  await turn();
  const drained = batcher.drain().then(() => outcomes.length);
  await expect(batcher.add(2)).rejects.toThrow('full');
  sent[0]!.end();
  expect(await drained).toBe(1);
});
