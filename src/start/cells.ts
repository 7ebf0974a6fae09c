import { createLogger } from '../kernel/log.ts';
import { StartError } from '../kernel/start-error.ts';
import { MAX_CELLS } from '../store/cells/add-cells.ts';
import { isCitus } from '../store/cells/citus.ts';
import { DEFAULT_CELL } from '../store/cells/directory.ts';
import { listCells } from '../store/cells/list-cells.ts';
import { type Moved, moveOrganization } from '../store/cells/move-organization.ts';
import { placeCell, rebalanceCells } from '../store/cells/place-cells.ts';
import { NodeError } from '../store/cells/run-on-node.ts';
import { moveAll } from '../store/cells/move-all.ts';
import { type Db, openDb, withClient } from '../store/db.ts';
import { addCells } from '../store/migrate.ts';
import { joinDatabase, NO_POOLER } from './open-database.ts';
import { readConfig } from './read-config.ts';

/** The commands print JSON. Servers may run at the same time. */
const withCells = async (isChange: boolean, use: (url: string, db: Db) => Promise<unknown>): Promise<void> => {
  const config = readConfig((text) => void process.stderr.write(`${text}\n`), { mustExist: true });
  if (isChange && config.poolerUrl !== null) throw new StartError(NO_POOLER, 'Nothing was changed.');
  const database = await joinDatabase(config, createLogger({ level: 'warn', pretty: false }));
  const db = openDb(database.url);
  try {
    process.stdout.write(`${JSON.stringify(await use(database.url, db))}\n`);
  } finally {
    await db.$client.end();
    await database.stop();
  }
};

/** Runs `./parley cells move CELL --node HOST:PORT` and `./parley cells rebalance`. */
export const runPlaceCells = (cell?: string, node?: string): Promise<void> =>
  withCells(false, async (url, db) => {
    await withClient(url, 'cells', async (client) => {
      if (!(await isCitus(client)))
        throw new StartError('The database is one server without Citus.', 'Nothing was moved.');
      const placing =
        cell === undefined
          ? rebalanceCells(client, (move) => tell(`${move.cell}: moved to ${move.to}`))
          : placeCell(client, cell, node ?? '');
      await placing.catch(explain);
    });
    return { data: await listCells(db) };
  });

function explain(error: unknown): never {
  if (!(error instanceof NodeError)) throw error;
  throw new StartError(
    error.message,
    'Each cell is completely on one node: "./parley cells list" shows the node of each cell.',
    {
      cause: error,
    },
  );
}

/** Runs `./parley cells list` and `./parley cells add N`. */
export const runCells = (add: string | undefined): Promise<void> =>
  withCells(add !== undefined, async (url, db) => {
    if (add !== undefined) await addCells(url, await countOf(db, add));
    return { data: await listCells(db) };
  });

/** Runs `./parley orgs move ORG --cell CELL`. */
export const runMoveOrganization = (orgId = '', cell = ''): Promise<void> =>
  withCells(true, (url) => moveOrganization(url, orgId, cell, (step) => tell(`${orgId}: ${step}`)));

/** Runs `./parley cells enable [N]`, which moves every organization out of the cell `public`. */
export const runEnableCells = (count = '1'): Promise<void> =>
  withCells(true, async (url, db) => {
    const present = (await listCells(db)).filter(({ cell }) => cell !== DEFAULT_CELL).length;
    const missing = (await countOf(db, count, 0)) - present;
    // Empty cells that remain after "cells disable" are used again.
    await addCells(url, Math.max(0, missing));
    return { data: await moveAll(url, db, 'out of public', tellMoved) };
  });

/** Runs `./parley cells disable`, which moves every organization back to the cell `public`. */
export const runDisableCells = (): Promise<void> =>
  withCells(true, async (url, db) => ({ data: await moveAll(url, db, 'to public', tellMoved) }));

/** Writes to standard error, for people. The result on standard output is for programs. */
const tell = (text: string): void => void process.stderr.write(`${text}\n`);
const tellMoved = ({ organization, from, to, rows, paused_ms }: Moved): void =>
  tell(`${organization}: moved ${rows} rows from ${from} to ${to}, paused for ${paused_ms} ms`);

async function countOf(db: Db, add: string, present?: number): Promise<number> {
  const count = Number(add);
  const room = MAX_CELLS - (present ?? (await listCells(db)).length);
  if (/^[1-9][0-9]*$/.test(add) && count <= room) return count;
  throw new StartError(
    `The number of cells to add is not between 1 and ${room}.`,
    `An installation has at most ${MAX_CELLS} cells.`,
  );
}
