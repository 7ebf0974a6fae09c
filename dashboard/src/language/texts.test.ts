import { expect, test } from 'vitest';
import { defineTexts, sayIn } from './texts.tsx';

const texts = defineTexts({ asked: { one: '{count} time', other: '{count} times' }, key: 'Key {id}' }, {} as never);

test('a number in a text is grouped, and other values stay as they are', () => {
  const say = sayIn(texts, 'en');
  expect(say('asked', { count: 28_707_364 })).toBe('28,707,364 times');
  expect(say('asked', { count: 1 })).toBe('1 time');
  expect(say('key', { id: '1043' })).toBe('Key 1043');
});
