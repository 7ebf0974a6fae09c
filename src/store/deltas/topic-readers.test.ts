import { afterEach, expect, test, vi } from 'vitest';
import { createTopicReaders } from './topic-readers.ts';

afterEach(() => void vi.useRealTimers());

test('readers of a process that has ended leave room for new readers', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const readers = createTopicReaders();
  let topics = 0;
  while (readers.note(`topic ${topics}`, 'ended')) topics++;
  expect(readers.note('new', 'running')).toBe(false);
  vi.advanceTimersByTime(30_000);
  readers.note('topic 0', 'running');
  vi.advanceTimersByTime(31_000);
  expect(readers.note('new', 'running')).toBe(true);
  expect([readers.of('topic 0'), readers.of('topic 1'), readers.of('new')]).toEqual([['running'], [], ['running']]);
});
