import { afterEach, expect, test, vi } from 'vitest';
import type { Db } from '../store/db.ts';
import { createForEachCell } from './for-each-cell.ts';

afterEach(() => void vi.useRealTimers());

test('a new cell gets its services, also when another cell is no longer used', async () => {
  vi.useFakeTimers();
  const directory = { cells: ['public', 'cell_2'] };
  const pool = { directory, refreshCells: () => Promise.resolve(), inCell: (cell: string) => ({ cell }) };
  const started: string[] = [];
  const services = createForEachCell({ $client: pool } as unknown as Db, (db) => [
    { start: () => void started.push((db.$client as unknown as { cell: string }).cell) },
  ]);
  await services.start?.();
  expect(started).toEqual(['public', 'cell_2']);
  directory.cells = ['cell_2', 'cell_3'];
  await vi.advanceTimersByTimeAsync(1_000);
  expect(started).toEqual(['public', 'cell_2', 'cell_3']);
  await services.stop?.();
});
