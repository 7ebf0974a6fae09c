import { expect, test } from 'vitest';
import { createHungCells } from './hung-cells.ts';

test('a cell that does not answer has at most four connections, and others are not affected', () => {
  let at = 0;
  const hung = createHungCells(() => at);
  const ends = Array.from({ length: 6 }, () => hung.begin('cell_2'));
  expect(ends.every((end) => end !== null)).toBe(true);
  at = 3_000;
  expect(hung.begin('cell_2')).toBeNull();
  expect(hung.begin('cell_3')).not.toBeNull();
  ends[0]!();
  expect(hung.begin('cell_2')).not.toBeNull();
});

test('a cell without statements is never refused, however long it was quiet', () => {
  let at = 0;
  const hung = createHungCells(() => at);
  hung.begin('cell_2')!();
  at = 60_000;
  expect(Array.from({ length: 5 }, () => hung.begin('cell_2')).every((end) => end !== null)).toBe(true);
});
