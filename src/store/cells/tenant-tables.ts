import type pg from 'pg';
import { type BackupTable, orderedTables, quoted } from '../backup/format.ts';
import { REGION_TABLES } from './region-tables.ts';
import { pathOf } from './route-connection.ts';

/** The organization of a move, with the old and the new cell. */
export type Route = { orgId: string; from: string; to: string };

export type TenantTable = BackupTable & {
  /** The names of the columns, as SQL text. */
  list: string;
  /** The columns of its primary key. */
  key: string[];
};

/** The tenant tables. The tables that others reference come first. */
export async function tenantTables(client: pg.Client): Promise<TenantTable[]> {
  const { rows } = await client.query<{ name: string; key: string[] }>(
    `SELECT c.relname AS name, array_agg(a.attname::text) AS key
     FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = ANY (i.indkey)
     WHERE i.indisprimary AND c.relnamespace = 'public'::regnamespace GROUP BY 1`,
  );
  const keys = new Map(rows.map(({ name, key }) => [name, key]));
  return (await orderedTables(client))
    .filter(({ table }) => !REGION_TABLES.includes(table))
    .map((table) => ({ ...table, list: table.columns.map(quoted).join(', '), key: keys.get(table.table) ?? [] }));
}

/**
 * Runs a transaction with the path of a cell, in which triggers write no events. On Citus, the settings hold on each
 * node.
 */
export async function inMove<T>(
  client: pg.Client,
  isolation: string,
  cell: string,
  work: () => Promise<T>,
): Promise<T> {
  await client.query(`BEGIN ISOLATION LEVEL ${isolation}`);
  try {
    await client.query(`SET LOCAL citus.propagate_set_commands = 'local'`);
    await client.query(`SET LOCAL parley.events = 'off'`);
    // Triggers plan their statements while the tables of the new cell may be empty.
    await client.query('SET LOCAL enable_seqscan = off');
    await client.query(`SET LOCAL lock_timeout = '20s'`);
    // A killed command must not hold its locks until the end of a long statement.
    await client.query(`SET LOCAL client_connection_check_interval = '1s'`);
    await client.query(`SET LOCAL search_path TO ${pathOf(cell)}`);
    const result = await work();
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  }
}

export const placeOf = (cell: string, { table }: { table: string }): string => `${quoted(cell)}.${quoted(table)}`;
