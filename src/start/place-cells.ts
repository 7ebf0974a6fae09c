import { createLogger } from '../kernel/log.ts';
import { StartError } from '../kernel/start-error.ts';
import { isCitus } from '../store/cells/citus.ts';
import { listCells } from '../store/cells/list-cells.ts';
import { placeCell, PlacementError, rebalanceCells } from '../store/cells/place-cells.ts';
import { openDb, withClient } from '../store/db.ts';
import { joinDatabase } from './open-database.ts';
import { readConfig } from './read-config.ts';

/** `./parley cells move CELL --node HOST:PORT` and `./parley cells rebalance`. Prints the cells as JSON. */
export async function runPlaceCells(cell?: string, node?: string): Promise<void> {
  const config = readConfig((text) => void process.stderr.write(`${text}\n`), { mustExist: true });
  const database = await joinDatabase(config, createLogger({ level: 'warn', pretty: false }));
  const db = openDb(database.url);
  try {
    await withClient(database.url, 'cells', async (client) => {
      if (!(await isCitus(client)))
        throw new StartError('The database is one server without Citus.', 'Nothing was moved.');
      await (cell === undefined ? rebalanceCells(client) : placeCell(client, cell, node ?? ''));
    });
    process.stdout.write(`${JSON.stringify({ data: await listCells(db) })}\n`);
  } catch (error) {
    if (!(error instanceof PlacementError)) throw error;
    throw new StartError(error.message, 'Each cell is completely on one node: "./parley cells list" shows where.', {
      cause: error,
    });
  } finally {
    await db.$client.end();
    await database.stop();
  }
}
