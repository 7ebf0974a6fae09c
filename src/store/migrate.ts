import { readFile } from 'node:fs/promises';
import { drizzle } from 'drizzle-orm/node-postgres';
import { migrate as runMigrations } from 'drizzle-orm/node-postgres/migrator';
import type pg from 'pg';
import { ownFile } from '../kernel/own-files.ts';
import { StartError } from '../kernel/start-error.ts';
import { addCells as buildCells, MAX_CELLS } from './cells/add-cells.ts';
import { migrateCells, type Step } from './cells/build-cell.ts';
import { countNodes, isCitus } from './cells/citus.ts';
import { isDeadlock, retryWhile, withClient } from './db.ts';

const MIGRATIONS = ownFile('migrations');
/**
 * The number is arbitrary but the same in every release, so that nodes that start together migrate one after the other.
 */
const ADVISORY_LOCK = 0x70_61_72_6c;
const OLDEST_SERVER = 150_000;

/** The reason why this program cannot use the database, and how to solve it. */
export class SchemaError extends Error {
  override name = 'SchemaError';
}

/**
 * Migrates the schema to the version of this program. The migration is safe to call from many nodes at the same time. A
 * database with a newer schema is refused.
 */
export const migrate = (url: string, cells: number | null = null): Promise<void> =>
  withClient(url, 'migrate', async (client) => {
    const version = await client.query<{ server_version_num: string }>('SHOW server_version_num');
    if (Number(version.rows[0]?.server_version_num) < OLDEST_SERVER) {
      throw new SchemaError('The database server is older than PostgreSQL 15: point DATABASE_URL at a newer one.');
    }
    await client.query('SELECT pg_advisory_lock($1)', [ADVISORY_LOCK]);
    const known = await newestKnown();
    const applied = await newestApplied(client);
    if (applied > 0 && (await isBeforeFirst(applied))) {
      throw new SchemaError('The database was created by an early development version: start with an empty database.');
    }
    insistOnKnown(applied, known);
    if (applied < known) await runBesideNodes(() => runMigrations(drizzle(client), { migrationsFolder: MIGRATIONS }));
    const all = await steps();
    await runBesideNodes(() => migrateCells(client, MIGRATIONS, all));
    if (await isCitus(client)) await makeFirstCells(client, cells, all);
  });

const CELLS_PER_NODE = 2;

/** On a Citus cluster, a new installation has its cells from the first start. */
async function makeFirstCells(client: pg.Client, wanted: number | null, all: readonly Step[]): Promise<void> {
  const { rows } = await client.query<{ made: number; used: boolean }>(
    `SELECT (SELECT count(*)::int FROM public.cell WHERE ready) AS made,
       EXISTS (SELECT FROM public.organization) AS used`,
  );
  const { made, used } = rows[0]!;
  if (used) return;
  const count = Math.min(MAX_CELLS, wanted ?? CELLS_PER_NODE * (await countNodes(client))) - made;
  if (count > 0) await buildCells(client, count, MIGRATIONS, all);
}

/** Adds cells to a migrated database, and returns their names. */
export const addCells = (url: string, many: number): Promise<string[]> =>
  withClient(url, 'cells', async (client) => {
    await client.query('SELECT pg_advisory_lock($1)', [ADVISORY_LOCK]);
    // A cell with the newest schema may need tables of the region that the database does not have yet.
    if ((await newestApplied(client)) < (await newestKnown()))
      throw new StartError('The database has the schema of an earlier version.', 'Run "./parley migrate" first.');
    return buildCells(client, many, MIGRATIONS, await steps());
  });

const TRIES = 20;

/**
 * During a rolling upgrade, nodes of the earlier version run statements on the tables that a migration changes. The
 * database ends one side of a deadlock. A migration that lost a deadlock has stored nothing, so the migration runs
 * again.
 */
export const runBesideNodes = (run: () => Promise<void>): Promise<void> => retryWhile(isDeadlock, TRIES, run);

/** True if the database contains data of Parley. A database with a newer schema is refused. */
export const isMigrated = (url: string): Promise<boolean> =>
  withClient(url, 'join', async (client) => {
    const applied = await newestApplied(client);
    insistOnKnown(applied, await newestKnown());
    return applied > 0;
  });

function insistOnKnown(applied: number, known: number): void {
  if (applied <= known) return;
  throw new SchemaError(
    'The database was migrated by a newer version of Parley: start that version, or restore a backup made before the upgrade.',
  );
}

async function steps(folder = MIGRATIONS): Promise<Step[]> {
  const journal = JSON.parse(await readFile(`${folder}/meta/_journal.json`, 'utf8')) as { entries: Step[] };
  return journal.entries;
}

const newestKnown = async (): Promise<number> => Math.max(0, ...(await steps()).map((step) => step.when));

/** True if a schema is older than the first migration, so that no migration leads to this program's schema. */
export const isBeforeFirst = async (schema: number): Promise<boolean> => schema < Number((await steps())[0]?.when);

/**
 * The statements in later migrations that change rows. A restore loads the rows of a backup into the newest schema. The
 * restore then runs the later migrations' changes of rows, because the rows of the backup are older.
 */
export async function rowChangesSince(schema: number, folder = MIGRATIONS): Promise<string[]> {
  const later = (await steps(folder)).filter((step) => step.when > schema);
  const texts = await Promise.all(later.map(({ tag }) => readFile(`${folder}/${tag}.sql`, 'utf8')));
  return texts
    .flatMap((text) => text.split('--> statement-breakpoint'))
    .map((statement) => statement.replace(/^(\s*--.*\n)+/, '').trim())
    .filter((statement) => /^(INSERT|UPDATE|DELETE)\b/i.test(statement));
}

async function newestApplied(client: pg.Client): Promise<number> {
  const table = await client.query<{ known: string | null }>(
    "SELECT to_regclass('drizzle.__drizzle_migrations')::text AS known",
  );
  if (!table.rows[0]?.known) return 0;
  const newest = await client.query<{ newest: string | null }>(
    'SELECT max(created_at) AS newest FROM drizzle.__drizzle_migrations',
  );
  return Number(newest.rows[0]?.newest ?? 0);
}
