import { expect, test } from 'vitest';
import { typedNumber } from './latin-digits.ts';

test.each([
  ['12.5', 12.5],
  [' 7 ', 7],
  ['١٢٫٥', 12.5],
  ['۴۲', 42],
  ['', Number.NaN],
  [' ', Number.NaN],
  ['ten', Number.NaN],
])('the typed text %j is the number %d', (typed, number) => expect(typedNumber(typed)).toBe(number));
