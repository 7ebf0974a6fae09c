import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/app.ts';
import {
  givenAgent,
  givenChannel,
  givenConversation,
  givenMessage,
  givenOrganization,
} from '../../../test/factories.ts';
import { MAX_SHOWN_MESSAGES } from '../../../contract/limits.ts';
import { listMessages } from './list-messages.ts';
import { readConversation } from './read-conversations.ts';

const MANY = 450;

let parley: TestApp;
let orgId: string;
let id: string;
/** The IDs of all messages of the conversation, oldest first. */
const all: string[] = [];

beforeAll(async () => {
  parley = await startTestApp();
  orgId = await givenOrganization(parley.db);
  const { agentId } = await givenAgent(parley.db, orgId);
  const channelId = await givenChannel(parley.db, orgId, agentId, { kind: 'sandbox' });
  ({ id } = await givenConversation(parley.db, orgId, channelId));
  const other = await givenConversation(parley.db, orgId, channelId);
  const start = Date.now() - MANY;
  for (let n = 0; n < MANY; n++) {
    all.push(await givenMessage(parley.db, orgId, id, { content: { type: 'text', text: `${n}` }, at: start + n }));
    if (n % 50 === 0) await givenMessage(parley.db, orgId, other.id, { content: { type: 'text', text: 'Other' } });
  }
});
afterAll(() => parley.stop());

const idsOf = (messages: { id: string }[]): string[] => messages.map((message) => message.id);

test('a conversation has its newest 200 messages, and the pages before them have all others once', async () => {
  const record = await readConversation(parley, orgId, id);
  expect(record.has_earlier_messages).toBe(true);
  expect(idsOf(record.messages)).toEqual(all.slice(-200));
  const read: string[] = [];
  let after = null;
  for (let more = true; more;) {
    const page = await listMessages(parley, orgId, id, record.messages[0]!.id, { limit: 100, after });
    read.push(...idsOf(page.rows));
    const last = page.rows.at(-1)!;
    after = { createdAt: new Date(last.created_at), id: last.id };
    more = page.hasMore;
  }
  expect(read.toReversed()).toEqual(all.slice(0, -200));
});

test('with `before`, a conversation has 200 more messages, up to a maximum', async () => {
  const more = await readConversation(parley, orgId, id, all.at(-200));
  expect([idsOf(more.messages), more.has_earlier_messages]).toEqual([all.slice(-400), true]);
  const whole = await readConversation(parley, orgId, id, all.at(-400));
  expect([idsOf(whole.messages), whole.has_earlier_messages]).toEqual([all, false]);
  const long = await givenConversation(parley.db, orgId, whole.channel_id);
  const start = Date.now() - 10_000;
  const ids: string[] = [];
  for (let n = 0; n <= MAX_SHOWN_MESSAGES; n++)
    ids.push(await givenMessage(parley.db, orgId, long.id, { content: { type: 'text', text: `${n}` }, at: start + n }));
  const most = await readConversation(parley, orgId, long.id, ids[100]);
  expect([idsOf(most.messages), most.has_earlier_messages]).toEqual([ids.slice(1), true]);
});

test('without `before`, the list starts with the newest message', async () => {
  const { rows, hasMore } = await listMessages(parley, orgId, id, undefined, { limit: 2, after: null });
  expect([idsOf(rows), hasMore]).toEqual([all.slice(-2).toReversed(), true]);
});

test('an earlier message has the rating of the person', async () => {
  await parley.db.execute(sql`INSERT INTO rating (org_id, conversation_id, subject, kind, message_id, score, agent_id,
      channel_id)
    SELECT org_id, id, ${all[1]}, 'answer', ${all[1]}, -1, agent_id, channel_id FROM conversation
    WHERE org_id = ${orgId} AND id = ${id}`);
  const { rows } = await listMessages(parley, orgId, id, all[2], { limit: 2, after: null });
  expect(rows.map(({ rating }) => rating)).toEqual([-1, null]);
});

test('a conversation with exactly 200 messages has no earlier ones', async () => {
  await parley.db.execute(sql`DELETE FROM message WHERE org_id = ${orgId} AND conversation_id = ${id}
    AND id < ${all.at(-200)!}`);
  const record = await readConversation(parley, orgId, id);
  expect([record.messages.length, record.has_earlier_messages]).toEqual([200, false]);
});

test('another organization does not find the conversation', async () => {
  const other = await givenOrganization(parley.db);
  const page = { limit: 100, after: null };
  await expect(listMessages(parley, other, id, undefined, page)).rejects.toMatchObject({
    code: 'conversation_not_found',
  });
});
