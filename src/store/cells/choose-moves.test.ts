import { expect, test } from 'vitest';
import { chooseMoves, type PlacedCell } from './choose-moves.ts';

const GIB = 1024 ** 3;
const cells = (...all: [node: string, gib: number][]): PlacedCell[] =>
  all.map(([node, gib], index) => ({ cell: `cell_${index + 2}`, node, bytes: gib * GIB }));

test('a new node gets one cell of each other node', () => {
  expect(chooseMoves(cells(['a', 0], ['a', 0], ['b', 0], ['b', 0]), ['a', 'b', 'c'])).toEqual([
    { cell: 'cell_4', to: 'c' },
  ]);
  const six = cells(['a', 1], ['a', 1], ['a', 1], ['b', 1], ['b', 1], ['b', 1]);
  expect(chooseMoves(six, ['a', 'b', 'c'])).toEqual([
    { cell: 'cell_5', to: 'c' },
    { cell: 'cell_2', to: 'c' },
  ]);
});

test('a large cell counts more than many small ones', () => {
  const moves = chooseMoves(cells(['a', 10], ['a', 1], ['a', 1], ['b', 1]), ['a', 'b']);
  expect(moves.map(({ cell }) => cell).toSorted()).toEqual(['cell_3', 'cell_4']);
});

test('nothing moves if the load of the heaviest node would not be lower', () => {
  expect(chooseMoves(cells(['a', 10], ['b', 1]), ['a', 'b'])).toEqual([]);
  expect(chooseMoves(cells(['a', 1], ['b', 1.05]), ['a', 'b'])).toEqual([]);
  expect(chooseMoves(cells(['a', 1]), ['a', 'b'])).toEqual([]);
  expect(chooseMoves([], ['a', 'b'])).toEqual([]);
});

test('cells of almost the same size do not change places', () => {
  const moves = chooseMoves(cells(['a', 1], ['a', 1.03], ['b', 1.02], ['b', 1.05]), ['a', 'b', 'c']);
  expect(moves).toHaveLength(1);
});

test('a node that is to be emptied loses all its cells', () => {
  expect(chooseMoves(cells(['old', 2], ['old', 1], ['a', 1]), ['a', 'b'])).toEqual([
    { cell: 'cell_2', to: 'b' },
    { cell: 'cell_3', to: 'a' },
  ]);
});
