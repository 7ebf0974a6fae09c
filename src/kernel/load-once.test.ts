import { expect, it } from 'vitest';
import { loadOnce } from './load-once.ts';

it('a value is loaded once for all callers, and again after a failure', async () => {
  let reads = 0;
  const list = loadOnce(async () => {
    reads += 1;
    if (reads === 1) throw new Error('missing');
    return reads;
  });
  const early = await Promise.allSettled([list(), list()]);
  expect(early.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(reads).toBe(1);
  expect(await Promise.all([list(), list()])).toEqual([2, 2]);
  expect(await list()).toBe(2);
});
