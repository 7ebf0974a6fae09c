import { expect, test } from 'vitest';
import { cached, MOST_TEXTS } from './cached.ts';

test('a result is computed once, and only a limited number of results is stored', () => {
  const computed: string[] = [];
  const read = cached((text) => {
    computed.push(text);
    return false;
  });
  expect([read('first'), read('first')]).toEqual([false, false]);
  expect(computed).toEqual(['first']);
  for (let n = 1; n < MOST_TEXTS; n++) read(`other ${n}`);
  read('first');
  expect(computed.length).toBe(MOST_TEXTS);
  read('one too many');
  read('first');
  expect(computed.slice(MOST_TEXTS)).toEqual(['one too many', 'first']);
});
