import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { givenOrganization } from '../../../test/factories.ts';
import { useDatabase } from '../../../test/use-database.ts';
import { countLockWaits } from '../../../test/lock-waits.ts';
import type { Db } from '../db.ts';
import { createRequestTrimmer, writeUsage } from './usage.ts';

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
  await expect.poll(() => countLockWaits(db.$client)).toBe(1);
  const free = await lock.query(`SELECT key_id FROM key_usage WHERE key_id = 'key_2' FOR UPDATE SKIP LOCKED`);
  await lock.query('COMMIT');
  lock.release();
  expect(free.rows).toEqual([{ key_id: 'key_2' }]);
  await written;
  const { rows } = await db.execute(sql`SELECT key_id, accepted FROM key_usage ORDER BY key_id`);
  expect(rows).toEqual(['key_1', 'key_2'].map((keyId) => ({ key_id: keyId, accepted: 2 })));
});

test('a round that trims requests does not return to organizations that it has trimmed', async () => {
  const [first, second] = [await givenOrganization(db), await givenOrganization(db)].toSorted();
  const log = (orgId: string, from: number, to: number) =>
    db.execute(sql`INSERT INTO request_log (org_id, id, key_id, at, method, route, status, ms)
      SELECT ${orgId}, lpad(n::text, 3, '0'), 'key', now(), 'GET', '/', 200, 1
      FROM generate_series(${from}::int, ${to}::int) n`);
  await log(first!, 1, 10);
  await log(second!, 1, 14);
  const trim = createRequestTrimmer(5);
  // Five requests of the first organization, and two of the second.
  expect(await trim(db.$client, 7)).toBe(7);
  await log(first!, 11, 13);
  expect(await trim(db.$client, 7)).toBe(7);
  expect(await trim(db.$client, 7)).toBe(0);
  // The next round.
  expect(await trim(db.$client, 7)).toBe(3);
  const { rows } = await db.execute(sql`SELECT org_id, min(id), max(id) FROM request_log GROUP BY org_id ORDER BY 1`);
  expect(rows).toEqual([
    { org_id: first, min: '009', max: '013' },
    { org_id: second, min: '010', max: '014' },
  ]);
});
