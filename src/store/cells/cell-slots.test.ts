import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createCellSlots } from './cell-slots.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

const onNodes = () => createCellSlots(16, (cell) => (cell === 'cell_4' ? 'node 2' : 'node 1'));

test('cells of one node share half of the connections', () => {
  const slots = onNodes();
  for (let n = 0; n < 4; n++) slots.enter('cell_2');
  for (let n = 0; n < 4; n++) slots.enter('cell_3');
  expect(['cell_2', 'cell_3', 'cell_4'].map(slots.hasRoom)).toEqual([false, false, true]);
});

test('a node hangs when it has answered nothing for a second, and not while it answers other statements', async () => {
  const slots = onNodes();
  for (let n = 0; n < 7; n++) slots.enter('cell_2');
  const ended = slots.enter('cell_3');
  vi.advanceTimersByTime(900);
  ended(false);
  slots.enter('cell_3');
  vi.advanceTimersByTime(900);
  expect(slots.hangs('cell_2')).toBe(false);
  vi.advanceTimersByTime(200);
  expect(['cell_2', 'cell_3', 'cell_4'].map(slots.hangs)).toEqual([true, true, false]);
  await expect(slots.room('cell_3')).rejects.toMatchObject({ code: 'unavailable' });
});

test('after a lost connection, a node gets one statement after a pause, until it answers', () => {
  const slots = onNodes();
  slots.enter('cell_2')(true);
  expect([slots.hasRoom('cell_3'), slots.hangs('cell_3')]).toEqual([false, true]);
  vi.advanceTimersByTime(1_000);
  expect([slots.hasRoom('cell_3'), slots.hangs('cell_3')]).toEqual([true, false]);
  const trial = slots.enter('cell_3');
  expect(['cell_2', 'cell_4'].map(slots.hasRoom)).toEqual([false, true]);
  trial(false);
  slots.enter('cell_2');
  expect(slots.hasRoom('cell_2')).toBe(true);
});

test('the pause after a timeout is as long as the statement took, and at most five seconds', () => {
  const slots = onNodes();
  for (const [tookMs, pauseMs] of [
    [3_000, 3_000],
    [20_000, 5_000],
  ] as const) {
    const ended = slots.enter('cell_2');
    vi.advanceTimersByTime(tookMs);
    ended(true);
    vi.advanceTimersByTime(pauseMs - 1);
    expect(slots.hangs('cell_2')).toBe(true);
    vi.advanceTimersByTime(1);
    expect(slots.hangs('cell_2')).toBe(false);
  }
});

test('a timeout on a node that answers other statements causes no pause', () => {
  const slots = onNodes();
  const ended = slots.enter('cell_2');
  vi.advanceTimersByTime(19_500);
  slots.enter('cell_2')(false);
  vi.advanceTimersByTime(500);
  ended(true);
  expect(slots.hasRoom('cell_2')).toBe(true);
});

test('the uses of a cell are its statements and commits, and no statements of other cells', () => {
  const slots = onNodes();
  const before = slots.useCount('cell_2');
  slots.enter('cell_3')(false);
  expect(slots.useCount('cell_2')).toBe(before);
  const ended = slots.enter('cell_2');
  expect(slots.useCount('cell_2')).toBeNull();
  ended(false);
  const after = slots.useCount('cell_2');
  expect(after).not.toBe(before);
  slots.committed('cell_2');
  expect(slots.useCount('cell_2')).not.toBe(after);
});
