import { sql } from 'drizzle-orm';
import { beforeAll, expect, test } from 'vitest';
import { givenAgent, givenConversation, givenOrganization } from '../../../test/factories.ts';
import { useDatabase } from '../../../test/use-database.ts';
import type { Db } from '../db.ts';
import { rating } from '../schema/rating.ts';
import { countRatings, countRatingsByGroup } from './count.ts';

let db: Db;
let orgId: string;

useDatabase((own) => {
  db = own;
});
beforeAll(async () => {
  orgId = await givenOrganization(db);
});

type Agent = { agentId: string; channelId: string };
const DAY = { from: new Date('2026-11-20T00:00:00Z'), until: new Date('2026-11-21T00:00:00Z') };

async function givenRating(org: string, { agentId, channelId }: Agent, more: Partial<typeof rating.$inferInsert>) {
  const { id: conversationId } = await givenConversation(db, org, channelId);
  const row = { orgId: org, conversationId, agentId, channelId, subject: 'survey', kind: 'survey' as const };
  await db.insert(rating).values({ ...row, agentVersion: 1, ratedAt: new Date('2026-11-20T10:00:00Z'), ...more });
}

test('the average contains the surveys of the time, the agent and the version, and no other organization', async () => {
  const agent = await givenAgent(db, orgId);
  const other = await givenAgent(db, orgId);
  const elsewhere = await givenOrganization(db);
  await givenRating(orgId, agent, { score: 5 });
  await givenRating(orgId, agent, { score: 2, agentVersion: 2 });
  await givenRating(orgId, agent, { score: 1, ratedAt: DAY.until });
  await givenRating(orgId, agent, { ratedAt: null });
  await givenRating(orgId, agent, { kind: 'answer', subject: 'msg_1', score: 1 });
  await givenRating(orgId, other, { score: 4 });
  await givenRating(elsewhere, await givenAgent(db, elsewhere), { score: 1 });

  expect(await countRatings(db, orgId, DAY)).toEqual({ count: 3, average: 11 / 3 });
  expect(await countRatings(db, orgId, { ...DAY, agentId: agent.agentId })).toEqual({ count: 2, average: 3.5 });
  const second = { ...DAY, agentId: agent.agentId, agentVersion: 2 };
  expect(await countRatings(db, orgId, second)).toEqual({ count: 1, average: 2 });
  expect(await countRatings(db, orgId, { ...DAY, channelId: 'channel_x' })).toEqual({ count: 0, average: null });
  const groups = await countRatingsByGroup(db, orgId, { ...DAY, agentId: agent.agentId });
  expect(groups).toEqual([
    { day: '2026-11-20', ...agent, agentVersion: 1, count: 1, average: 5 },
    { day: '2026-11-20', ...agent, agentVersion: 2, count: 1, average: 2 },
  ]);
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
