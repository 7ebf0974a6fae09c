import { sql } from 'drizzle-orm';
import { beforeAll, expect, test } from 'vitest';
import { givenAgent, givenConversation, givenOrganization } from '../../../test/factories.ts';
import { useDatabase } from '../../../test/use-database.ts';
import type { Db } from '../db.ts';

let db: Db;
let orgId: string;

useDatabase((own) => {
  db = own;
});
beforeAll(async () => {
  orgId = await givenOrganization(db);
});

test('a resolved conversation gets one survey, and only if its agent asks for ratings', async () => {
  const surveysOf = async (definition: object) => {
    const { channelId } = await givenAgent(db, orgId, { definition });
    const { id } = await givenConversation(db, orgId, channelId);
    const move = (status: string) => db.execute(sql`UPDATE conversation SET status = ${status} WHERE id = ${id}`);
    await move('resolved');
    await move('open');
    await move('resolved');
    const { rows } = await db.execute(
      sql`SELECT kind, due_at <= now() AS due FROM rating WHERE conversation_id = ${id}`,
    );
    return rows;
  };
  expect(await surveysOf({ survey: {} })).toEqual([{ kind: 'survey', due: true }]);
  expect(await surveysOf({})).toEqual([]);
});
