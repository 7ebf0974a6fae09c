import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createLookLoop } from './look-loop.ts';

test('a loop that always finds work leaves time for all other work', async () => {
  let looks = 0;
  let looksBefore: number | null = null;
  const seen = Promise.withResolvers<void>();
  const loop = createLookLoop({
    failure: 'a look failed',
    log: pino({ level: 'silent' }),
    pollMs: 60_000,
    look: async () => {
      if (++looks === 10_000) seen.resolve();
      return looks < 10_000;
    },
  });
  setImmediate(() => (looksBefore = looks));
  loop.start();
  await seen.promise;
  await loop.stop();
  expect(looksBefore).toBeLessThan(10);
});
