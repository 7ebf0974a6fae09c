import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';

export type TestDatabase = {
  url: string;
  /** Ends open connections and removes the database. */
  drop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

/** Creates a migrated, empty database on the Postgres of this run. Call it once per test file. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const { adminUrl, template } = inject('postgres');
  const name = `test_${randomBytes(8).toString('hex')}`;
  // The copy uses files, because the default strategy logs every page and costs half a second of processor time.
  await admin(adminUrl, `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY OWNER parley`);
  const url = new URL(adminUrl);
  url.username = 'parley';
  url.pathname = `/${name}`;
  const drop = (): Promise<void> => admin(adminUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  return { url: url.href, drop, [Symbol.asyncDispose]: drop };
}

async function admin(adminUrl: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
