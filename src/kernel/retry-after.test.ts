import { expect, test } from 'vitest';
import { readRetryAfter, readRetryAfterMs, retryAfterOf } from './retry-after.ts';

const NOW = Date.parse('2026-11-26T12:00:00Z');

test.each([
  ['7', 7_000],
  [' 0.05 ', 50],
  ['Thu, 26 Nov 2026 12:00:30 GMT', 30_000],
  ['Thu, 26 Nov 2026 11:00:00 GMT', null],
  ['86400', 3_600_000],
  ['0', null],
  ['-5', null],
  ['soon', null],
  [undefined, null],
  [null, null],
])('the header %j of a server is a wait of %j ms', (value, wait) => expect(readRetryAfter(value, NOW)).toBe(wait));

test('the exact header of OpenAI has priority over Retry-After', () => {
  expect(readRetryAfterMs({ 'retry-after-ms': '250', 'retry-after': '1' }, NOW)).toBe(250);
  expect(readRetryAfterMs({ 'retry-after': '1' }, NOW)).toBe(1_000);
});

test('only a problem code with its own waiting time sends Retry-After', () => {
  expect(retryAfterOf('rate_limited')).toEqual({ 'retry-after': '60' });
  expect(retryAfterOf('agent_not_found')).toEqual({});
});
