import { inCell } from '../store/cells/by-cell.ts';
import type { Db } from '../store/db.ts';
import { type Service, startAll, stopAll } from './service.ts';

/** A process starts the services of new cells at this interval. */
const LOOK_MS = 1_000;

/**
 * Runs services once for each cell, so that a cell whose node is unavailable delays no other cell. The services of a
 * cell that is added later start when this process has read the new list of cells.
 */
export function createForEachCell(db: Db, create: (db: Db) => readonly Service[]): Service {
  const pool = db.$client;
  const running = new Map<string, readonly Service[]>();
  let timer: NodeJS.Timeout | undefined;
  let starting: Promise<void> = Promise.resolve();

  async function startMissing(): Promise<void> {
    for (const cell of pool.directory.cells) {
      if (running.has(cell)) continue;
      const services = create(inCell(db, cell));
      running.set(cell, services);
      await startAll(services);
    }
  }

  return {
    start: async () => {
      await pool.refreshCells();
      await startMissing();
      timer = setInterval(() => {
        if (pool.directory.cells.some((cell) => !running.has(cell))) starting = starting.then(startMissing);
      }, LOOK_MS);
    },
    stop: async () => {
      clearInterval(timer);
      await starting;
      await Promise.all(running.values().map(stopAll));
    },
  };
}
