import { readFile } from 'node:fs/promises';
import type pg from 'pg';
import { distribute, isCitus, isPlaced, prepareRegion } from './citus.ts';
import { REGION_TABLES } from './region-tables.ts';
import { pathOf } from './route-connection.ts';

/**
 * The tables of a cell are built by the migrations of the schema `public`, without the statements about tables of the
 * region. Each migration of a cell is one transaction, so an interrupted migration is repeated as a whole.
 */
export type Step = { when: number; tag: string };

export async function migrateCells(client: pg.Client, folder: string, steps: readonly Step[]): Promise<void> {
  const { rows } = await client.query<{ name: string; at: string }>(
    'SELECT name, schema_at AS at FROM public.cell WHERE ready ORDER BY created_at, name',
  );
  const onCitus = await isCitus(client);
  if (onCitus && rows.length > 0) await prepareRegion(client);
  for (const { name, at } of rows) {
    await migrateCell(client, name, Number(at), folder, steps);
    if (onCitus && !(await isPlaced(client, name))) await distribute(client, name);
  }
}

/** `at`: the newest migration that the cell has. */
export async function migrateCell(
  client: pg.Client,
  name: string,
  at: number,
  folder: string,
  steps: readonly Step[],
): Promise<void> {
  // Without the schema, the search path would lead to the tables of the first cell.
  await client.query(`CREATE SCHEMA IF NOT EXISTS "${name}"`);
  for (const { when, tag } of steps.filter((step) => step.when > at)) {
    const statements = cellStatements(await readFile(`${folder}/${tag}.sql`, 'utf8'));
    await client.query('BEGIN');
    try {
      await client.query(`SET LOCAL search_path TO ${pathOf(name)}`);
      // On Citus, a transaction that changes tables and functions uses one connection to each node.
      await client.query(`SET LOCAL citus.multi_shard_modify_mode TO 'sequential'`);
      for (const statement of statements) await client.query(statement);
      await client.query('UPDATE public.cell SET schema_at = $2 WHERE name = $1', [name, when]);
      await client.query('COMMIT');
    } catch (error) {
      await client.query('ROLLBACK');
      throw error;
    }
  }
}

const REGION = new Set(REGION_TABLES);
/** Matches the table of a statement, for all forms of statements that migrations have. */
const TARGET =
  /^(?:CREATE (?:UNLOGGED )?TABLE|ALTER TABLE|DROP TABLE|INSERT INTO|UPDATE|DELETE FROM|CREATE (?:UNIQUE )?INDEX [\s\S]*? ON|CREATE TRIGGER [\s\S]*? ON)\s+(?:"public"\.)?"?(\w+)"?/i;
/** The name of a dropped index begins with the name of its table. */
const DROPPED_INDEX = /^DROP INDEX\s+(?:"public"\.)?"?(\w+)"?/i;

/** The statements of a migration that a cell needs, with names that its search path resolves. */
export function cellStatements(migration: string): string[] {
  return migration
    .split('--> statement-breakpoint')
    .map((statement) => statement.replace(/^(\s*--.*\n)+/, '').trim())
    .filter((statement) => statement !== '' && !isOfRegion(statement))
    .map((statement) =>
      statement.replaceAll(/"public"\."(\w+)"/g, (whole, name: string) => (REGION.has(name) ? whole : `"${name}"`)),
    );
}

function isOfRegion(statement: string): boolean {
  const target = TARGET.exec(statement)?.[1] ?? DROPPED_INDEX.exec(statement)?.[1];
  if (target === undefined) return false;
  if (REGION.has(target)) return true;
  // An index has the name of its table at its beginning.
  return DROPPED_INDEX.test(statement) && REGION_TABLES.some((table) => target.startsWith(`${table}_`));
}
