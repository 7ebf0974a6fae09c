import { expect, test } from 'vitest';
import { readCall } from './read-call.ts';

const lines = (count: number, characters: number) =>
  Array.from({ length: count }, (_, at) => ({ role: 'user' as const, content: `${at} `.padEnd(characters, 'x') }));
const earlierOf = (messages: ReturnType<typeof lines>) =>
  readCall({ model: 'agent_x', messages }).earlier.map(({ text }) => Number.parseInt(text, 10));

test('the history has the newest 39 messages, with at most 60,000 characters', () => {
  expect(earlierOf(lines(100, 10))).toEqual(Array.from({ length: 39 }, (_, at) => 60 + at));
  expect(earlierOf(lines(6, 20_000))).toEqual([2, 3, 4]);
  expect(earlierOf(lines(1, 10))).toEqual([]);
});

test('a call with a conversation key has no history', () => {
  const call = readCall({ model: 'agent_x', messages: lines(3, 5), metadata: { conversation: 'k', source: 'crm' } });
  expect(call).toMatchObject({ earlier: [], call: { conversation: { key: 'k' }, metadata: { source: 'crm' } } });
});
