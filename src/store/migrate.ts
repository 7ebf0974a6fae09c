import { readFile } from 'node:fs/promises';
import { drizzle } from 'drizzle-orm/node-postgres';
import { migrate as runMigrations } from 'drizzle-orm/node-postgres/migrator';
import type pg from 'pg';
import { ownFile } from '../kernel/own-files.ts';
import { withClient } from './db.ts';

const MIGRATIONS = ownFile('migrations');
/** Any number, but the same in every release: nodes that start together migrate one after the other. */
const ADVISORY_LOCK = 0x70_61_72_6c;
const OLDEST_SERVER = 150_000;

/** Why this program cannot use the database, with the cure. */
export class SchemaError extends Error {
  override name = 'SchemaError';
}

/** Migrates the schema to this program's. Safe to call from many nodes at once; refuses a newer schema. */
export const migrate = (url: string): Promise<void> =>
  withClient(url, 'migrate', async (client) => {
    const version = await client.query<{ server_version_num: string }>('SHOW server_version_num');
    if (Number(version.rows[0]?.server_version_num) < OLDEST_SERVER) {
      throw new SchemaError('The database server is older than PostgreSQL 15: point DATABASE_URL at a newer one.');
    }
    await client.query('SELECT pg_advisory_lock($1)', [ADVISORY_LOCK]);
    const known = await newestKnown();
    const applied = await newestApplied(client);
    if (applied > known) {
      throw new SchemaError(
        'The database was migrated by a newer Parley than this one: start that version, or restore a backup made before the upgrade.',
      );
    }
    if (applied < known) await runMigrations(drizzle(client), { migrationsFolder: MIGRATIONS });
  });

/** Whether the database belongs to a Parley of any version. */
export const isMigrated = (url: string): Promise<boolean> =>
  withClient(url, 'join', async (client) => (await newestApplied(client)) > 0);

type Step = { when: number; tag: string };

async function steps(): Promise<Step[]> {
  const journal = JSON.parse(await readFile(`${MIGRATIONS}/meta/_journal.json`, 'utf8')) as { entries: Step[] };
  return journal.entries;
}

const newestKnown = async (): Promise<number> => Math.max(0, ...(await steps()).map((step) => step.when));

/**
 * What later migrations did to rows, as statements: the rows of a backup are loaded into the newest schema and have
 * missed them.
 */
export async function rowChangesSince(schema: number): Promise<string[]> {
  const later = (await steps()).filter((step) => step.when > schema);
  const texts = await Promise.all(later.map(({ tag }) => readFile(`${MIGRATIONS}/${tag}.sql`, 'utf8')));
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
