import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { givenOrganization } from '../../../test/factories.ts';
import { useDatabase } from '../../../test/use-database.ts';
import type { Db } from '../db.ts';
import { writeUsage } from './usage.ts';

let db: Db;
useDatabase((own) => {
  db = own;
});

test('all nodes lock the counts of keys in the same order', async () => {
  const orgId = await givenOrganization(db);
  const counts = ['key_2', 'key_1'].map((keyId) => {
    return { orgId, keyId, hour: new Date(0), accepted: 1, refused: 0, failed: 0 };
  });
  await writeUsage(db.$client, counts, []);
  const lock = await db.$client.connect();
  await lock.query('BEGIN');
  await lock.query(`SELECT FROM key_usage WHERE key_id = 'key_1' FOR UPDATE`);
  const written = writeUsage(db.$client, counts, []);
  const waiting = sql`SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`;
  await expect.poll(async () => (await db.execute(waiting)).rows.length).toBe(1);
  const free = await lock.query(`SELECT key_id FROM key_usage WHERE key_id = 'key_2' FOR UPDATE SKIP LOCKED`);
  await lock.query('COMMIT');
  lock.release();
  expect(free.rows).toEqual([{ key_id: 'key_2' }]);
  await written;
  const { rows } = await db.execute(sql`SELECT key_id, accepted FROM key_usage ORDER BY key_id`);
  expect(rows).toEqual(['key_1', 'key_2'].map((keyId) => ({ key_id: keyId, accepted: 2 })));
});
