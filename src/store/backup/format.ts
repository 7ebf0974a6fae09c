import type pg from 'pg';
import { CHECKED_REFERENCES } from '../checked-references.ts';

/**
 * A backup consists of gzipped lines of JSON: a header, then a line with the columns of each table and a line for each
 * of its rows, then an end line. The end line contains the number of rows, which shows whether the file is complete.
 * Tables are in the order of their references, so that rows can be loaded in sequence.
 */
export const BACKUP_FORMAT = 'parley-backup/1';

export type BackupHeader = {
  format: typeof BACKUP_FORMAT;
  created_at: string;
  /** The newest migration of the schema at the time of the backup. */
  schema: number;
};
export type BackupTable = { table: string; columns: string[] };
export type BackupEnd = { end: true; rows: number };

/**
 * A backup does not contain the rows of the tables of sessions, leases, event watchers and mails. A restored session
 * would be valid again even if the session has ended since the backup, so all people sign in again. Leases and event
 * watchers belong to processes that no longer exist. Mails contain links that are valid for a short time.
 */
const LEFT_OUT = [
  'session',
  'verification',
  'node_lease',
  'running_process',
  'event_tail',
  'mail',
  'cell',
  'organization_move',
];
/**
 * `event.tx` contains transaction numbers of another server. Restored rows get the transaction numbers of the restore.
 * A restore loads all rows into the first cell, whatever cells the original had.
 */
const LEFT_OUT_COLUMNS = ['event.tx', 'organization.cell', 'installation.cells_version'];

/** The migrations create the rows of `authz_clock`, so an empty database contains these rows too. */
export const SEEDED_TABLE = 'authz_clock';

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Some of our tables have the name of a Postgres type. The schema prefix makes clear that the name means the table. */
export const qualified = (table: string): string => `public.${quoted(table)}`;

/** Tables and columns of a backup. The tables that others reference come first. */
export const readTables = async (client: pg.Client): Promise<BackupTable[]> =>
  (await orderedTables(client)).flatMap(({ table, columns }) =>
    LEFT_OUT.includes(table)
      ? []
      : [{ table, columns: columns.filter((column) => !LEFT_OUT_COLUMNS.includes(`${table}.${column}`)) }],
  );

/** All tables of the schema with their columns. The tables that others reference come first. */
export async function orderedTables(client: pg.Client): Promise<BackupTable[]> {
  const { rows } = await client.query<{ table: string; columns: string[]; parents: string[] }>(`
    SELECT c.relname AS table,
      (SELECT array_agg(a.attname::text ORDER BY a.attnum) FROM pg_attribute a
        WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '') AS columns,
      ARRAY(SELECT p.relname::text FROM pg_constraint k JOIN pg_class p ON p.oid = k.confrelid
          WHERE k.conrelid = c.oid AND k.contype = 'f' AND k.confrelid <> c.oid
        UNION
        SELECT p.relname::text FROM (${CHECKED_REFERENCES}) k JOIN pg_class p ON p.oid = k.parent
          WHERE k.child = c.oid) AS parents
    FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r'
    ORDER BY c.relname`);
  const waiting = [...rows];
  const ordered: BackupTable[] = [];
  while (waiting.length > 0) {
    const next = waiting.findIndex(
      (row) => !row.parents.some((parent) => waiting.some((other) => other.table === parent)),
    );
    if (next < 0) throw new Error(`The references form a cycle: ${waiting.map((row) => row.table).join(', ')}`);
    const { table, columns } = waiting[next]!;
    waiting.splice(next, 1);
    ordered.push({ table, columns });
  }
  return ordered;
}

export async function readSchemaVersion(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ newest: string }>(
    'SELECT max(created_at) AS newest FROM drizzle.__drizzle_migrations',
  );
  return Number(rows[0]!.newest);
}
