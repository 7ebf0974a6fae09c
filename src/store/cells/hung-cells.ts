import { performance } from 'node:perf_hooks';

/**
 * A node of Citus that hangs (stopped, or cut off) answers no statement until the time limit of statements. Without a
 * limit, the statements of its cells would soon have all connections of a process, and the other cells would have none.
 */
const MOST_WAITING = 4;
const SILENT_MS = 2_000;

type Cell = { running: number; answeredAt: number };

export type HungCells = {
  /** Begins a statement, which ends with the returned function. Null: the cell does not answer at present. */
  begin(cell: string): (() => void) | null;
};

export function createHungCells(now: () => number = () => performance.now()): HungCells {
  const cells = new Map<string, Cell>();
  return {
    begin(name) {
      let cell = cells.get(name);
      if (cell === undefined) cells.set(name, (cell = { running: 0, answeredAt: 0 }));
      if (cell.running === 0) cell.answeredAt = now();
      if (cell.running >= MOST_WAITING && now() - cell.answeredAt > SILENT_MS) return null;
      cell.running += 1;
      return () => {
        cell.running -= 1;
        cell.answeredAt = now();
      };
    },
  };
}

/** SQLSTATE of a connection failure: nothing was sent, and the caller may retry. */
export class CellAwayError extends Error {
  override name = 'CellAwayError';
  readonly code = '08006';
}
