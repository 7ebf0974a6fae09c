import { expect, it } from 'vitest';
import { createLoopShare } from './loop-share.ts';

const STRETCH_MS = 5;

/** Blocks the event loop for a moment. */
const work = (): void => {
  const until = performance.now() + 1;
  while (performance.now() < until);
};

it('the event loop runs other work between pieces that are ready at the same time', async () => {
  const share = createLoopShare(STRETCH_MS);
  let others = 0;
  let isOver = false;
  const look = (): void => {
    others++;
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  await Promise.all(Array.from({ length: 100 }, () => share(work)));
  isOver = true;
  // A hundred milliseconds of work need at least this many stretches, on any machine.
  expect(others).toBeGreaterThanOrEqual(100 / STRETCH_MS - 2);
});

it('the caller gets the result of the work, or its failure', async () => {
  const share = createLoopShare();
  expect(await share(() => 7)).toBe(7);
  await expect(
    share(() => {
      throw new Error('broken');
    }),
  ).rejects.toThrow('broken');
});
