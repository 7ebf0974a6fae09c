import { expect, test } from 'vitest';
import { elapsedSince, watchStalls } from './stalls.ts';

test('a time in which no process ran is subtracted, but only within the measured time', () => {
  let now = 0;
  const stalls = watchStalls(() => now);
  const pass = (ms: number) => ((now += ms), stalls.look());
  for (let n = 0; n < 10; n++) pass(10);
  pass(510); // due at 110, fired at 610
  pass(12);
  expect(stalls.between(0, now)).toBe(500);
  expect(stalls.between(0, 210)).toBe(100);
  expect(stalls.between(600, now)).toBe(10);
  expect(stalls.between(610, now)).toBe(0);
});

test('nothing is subtracted if the process itself was busy', async () => {
  const from = performance.now();
  await new Promise((resolve) => setTimeout(resolve, 30));
  for (const until = performance.now() + 200; performance.now() < until;);
  await new Promise((resolve) => setTimeout(resolve, 30));
  const { ms, text } = elapsedSince(from);
  expect(performance.now() - from - ms).toBeGreaterThan(150);
  expect(text).toContain('without a processor');
});
