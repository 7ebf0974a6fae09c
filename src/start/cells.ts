import { createLogger } from '../kernel/log.ts';
import { StartError } from '../kernel/start-error.ts';
import { MAX_CELLS } from '../store/cells/add-cells.ts';
import { listCells } from '../store/cells/list-cells.ts';
import { openDb } from '../store/db.ts';
import { addCells } from '../store/migrate.ts';
import { joinDatabase, NO_POOLER } from './open-database.ts';
import { readConfig } from './read-config.ts';

/** `./parley cells list` and `./parley cells add N`. Prints the cells as JSON. Servers may run at the same time. */
export async function runCells(add: string | undefined): Promise<void> {
  const config = readConfig((text) => void process.stderr.write(`${text}\n`), { mustExist: true });
  if (add !== undefined && config.poolerUrl !== null) throw new StartError(NO_POOLER, 'No cell was added.');
  const database = await joinDatabase(config, createLogger({ level: 'warn', pretty: false }));
  const db = openDb(database.url);
  try {
    if (add !== undefined) await addCells(database.url, await countOf(db, add));
    process.stdout.write(`${JSON.stringify({ data: await listCells(db) })}\n`);
  } finally {
    await db.$client.end();
    await database.stop();
  }
}

async function countOf(db: ReturnType<typeof openDb>, add: string): Promise<number> {
  const count = Number(add);
  const room = MAX_CELLS - (await listCells(db)).length;
  if (/^[1-9][0-9]*$/.test(add) && count <= room) return count;
  throw new StartError(
    `The number of cells to add is not between 1 and ${room}.`,
    `An installation has at most ${MAX_CELLS} cells.`,
  );
}
