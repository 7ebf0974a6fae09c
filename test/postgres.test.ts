import pg from 'pg';
import { expect, test } from 'vitest';
import { createTestDatabase } from './postgres.ts';

test('each test file gets its own migrated database', async () => {
  await using one = await createTestDatabase();
  await using two = await createTestDatabase();
  expect(one.url).not.toBe(two.url);
  const client = new pg.Client({ connectionString: one.url });
  await client.connect();
  const { rows } = await client.query('SELECT count(*)::int AS applied FROM drizzle.__drizzle_migrations');
  await client.end();
  expect(rows[0].applied).toBeGreaterThan(0);
});
