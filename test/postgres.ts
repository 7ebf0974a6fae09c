import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';

export type TestDatabase = {
  url: string;
  /** Ends open connections and removes the database. */
  drop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

/** Creates a migrated, empty database on the Postgres of this run. Call this function once per test file. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const { adminUrl, template, workers } = inject('postgres');
  const name = `test_${randomBytes(8).toString('hex')}`;
  // The copy uses files, because the default strategy logs every page and costs half a second of processor time.
  const nodes = [...workers, adminUrl];
  for (const node of nodes)
    await admin(node, `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY OWNER parley`);
  const url = new URL(adminUrl);
  url.username = 'parley';
  url.pathname = `/${name}`;
  if (workers.length > 0) await placeOnWorker(url.href);
  const drop = async (): Promise<void> => {
    for (const node of nodes.toReversed()) await admin(node, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  };
  return { url: url.href, drop, [Symbol.asyncDispose]: drop };
}

/** All organizations of one test are in one cell, so that the test may read rows without naming an organization. */
const placeOnWorker = (url: string): Promise<void> =>
  admin(url, `DELETE FROM cell WHERE name <> '${process.env.TEST_CELLS}'`).then(() =>
    admin(url, `ALTER TABLE organization ALTER COLUMN cell SET DEFAULT '${process.env.TEST_CELLS}'`),
  );

async function admin(adminUrl: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
