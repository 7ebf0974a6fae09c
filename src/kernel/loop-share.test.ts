import { expect, it } from 'vitest';
import { createLoopShare } from './loop-share.ts';

const STRETCH_MS = 5;

/** Keeps the event loop busy for a moment. */
const work = (): void => {
  const until = performance.now() + 1;
  while (performance.now() < until);
};

it('lets others have their turn between pieces that are ready together', async () => {
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
  // A hundred milliseconds of work are at least so many stretches, whatever else the machine does.
  expect(others).toBeGreaterThanOrEqual(100 / STRETCH_MS - 2);
});

it('gives back what the work gives back, and its failure', async () => {
  const share = createLoopShare();
  expect(await share(() => 7)).toBe(7);
  await expect(
    share(() => {
      throw new Error('broken');
    }),
  ).rejects.toThrow('broken');
});
