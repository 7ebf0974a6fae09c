import { sql } from 'drizzle-orm';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { givenAgent, givenOrganization } from '../../test/factories.ts';
import { createTestDatabase, type TestDatabase } from '../../test/postgres.ts';
import { type Db, openDb } from '../store/db.ts';
import { createHousekeeper } from './housekeeper.ts';

let database: TestDatabase;
let db: Db;
beforeAll(async () => {
  database = await createTestDatabase();
  db = openDb(database.url);
});
afterAll(async () => {
  await db?.$client.end();
  await database?.drop();
});

/** More than one statement removes. */
const MANY = 5_500;

test('one round removes everything that has expired, however much, and nothing else', async () => {
  const orgId = await givenOrganization(db);
  const { channelId } = await givenAgent(db, orgId);
  const old = sql`now() - CASE WHEN n = 0 THEN interval '1 hour' ELSE interval '40 days' END FROM generate_series(0, ${MANY}) n`;
  await db.execute(sql`INSERT INTO inbound_event (org_id, channel_id, event_id, created_at)
    SELECT ${orgId}, ${channelId}, n::text, ${old}`);
  await db.execute(sql`INSERT INTO receipt (org_id, channel_id, provider_message_id, status, created_at)
    SELECT ${orgId}, ${channelId}, n::text, 'read', ${old}`);
  await db.execute(
    sql`INSERT INTO event (org_id, id, type, data, created_at) SELECT ${orgId}, n::text, 'run.failed', '{}', ${old}`,
  );
  await db.execute(sql`INSERT INTO idempotency (org_id, scope, request, status, body, created_at)
    SELECT ${orgId}, n::text::bytea, '', 202, '{}', ${old}`);
  await db.execute(sql`INSERT INTO request_log (org_id, id, key_id, method, route, status, ms, at)
    SELECT ${orgId}, n::text, 'key', 'GET', '/', 200, 1, ${old}`);
  await createHousekeeper({ db, log: pino({ level: 'silent' }) }).tidy();
  for (const table of ['inbound_event', 'receipt', 'event', 'idempotency', 'request_log']) {
    const { rows } = await db.execute(sql`SELECT count(*)::int AS n FROM ${sql.identifier(table)}`);
    expect([table, rows]).toEqual([table, [{ n: 1 }]]);
  }
});
