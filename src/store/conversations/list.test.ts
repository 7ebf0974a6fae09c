import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { givenAgent, givenConversation, givenOrganization } from '../../../test/factories.ts';
import { createTestDatabase, type TestDatabase } from '../../../test/postgres.ts';
import { rowsRead } from '../../../test/rows-read.ts';
import { type Db, openDb } from '../db.ts';
import { listConversationRows } from './list.ts';

let database: TestDatabase;
let db: Db;

beforeAll(async () => {
  database = await createTestDatabase();
  db = openDb(database.url, { max: 1 });
});
afterAll(async () => {
  await db.$client.end();
  await database.drop();
});
test('the list of a rare tag reads no conversation of another organization', async () => {
  const given = async (orgId: string, tags: string, many: number): Promise<string> => {
    const { channelId } = await givenAgent(db, orgId);
    const { id } = await givenConversation(db, orgId, channelId);
    await db.execute(sql`UPDATE conversation SET tags = ${tags} WHERE id = ${id}`);
    await db.execute(sql`INSERT INTO conversation (org_id, id, agent_id, channel_id, end_user_id, tags)
      SELECT org_id, id || g, agent_id, channel_id, end_user_id, tags
      FROM conversation, generate_series(1, ${many}) g WHERE id = ${id}`);
    return id;
  };
  const [mine, theirs] = [await givenOrganization(db), await givenOrganization(db)];
  const id = await given(mine, '{vip}', 0);
  await given(theirs, '{vip}', 3_000);
  await db.execute(sql`VACUUM ANALYZE conversation`);
  let found: string[] = [];
  const read = await rowsRead(db, async () => {
    const page = await listConversationRows(db, mine, 'user_x', { tag: 'vip' }, { limit: 10, after: null });
    found = page.rows.map((row) => row.id);
  });
  expect(found).toEqual([id]);
  expect(read['conversation']).toBeLessThan(100);
});
