import { sql } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import { givenAgent, givenMember, givenOrganization } from '../../../test/factories.ts';
import { useDatabase } from '../../../test/use-database.ts';
import type { Db } from '../../store/db.ts';
import { createSuppression } from '../../store/end-users/suppression.ts';
import { createInboundQueue, type InboundQueue } from './inbound-queue.ts';
import { resolveConversation, takeOverConversation } from './hand-over.ts';
import { receiveMessage } from './receive-message.ts';

let db: Db;
let orgId: string;
let queue: InboundQueue;
let channel: Parameters<InboundQueue['store']>[0];

useDatabase((own) => (db = own));
beforeEach(async () => {
  orgId = await givenOrganization(db);
  const { agentId, channelId: id } = await givenAgent(db, orgId);
  channel = { orgId, id, agentId, kind: 'sandbox', enabled: true, settings: {}, sealed: null };
  queue = createInboundQueue(db, createSuppression(Buffer.alloc(32)));
});

let events = 0;
const write = (text: string) => {
  const event = { type: 'message' as const, eventId: `e${events++}`, address: '7', person: {} };
  return queue.store(channel, { ...event, content: { type: 'text', text } }, 'req_test');
};
const givenTalk = async (status: string): Promise<string> => {
  await write('hello');
  const { rows } = await db.execute<{ id: string }>(
    sql`UPDATE conversation SET status = ${status} WHERE org_id = ${orgId} RETURNING id`,
  );
  return rows[0]!.id;
};
const consent = async () =>
  (await db.execute<{ consent: object }>(sql`SELECT consent FROM end_user WHERE org_id = ${orgId}`)).rows[0]!.consent;
const OPTED_OUT = { sandbox: { status: 'opted_out', source: 'stop_word', at: expect.any(String) } };

test('a stop word opts the person out while the team answers, on a channel and in the sandbox', async () => {
  const id = await givenTalk('handed_off');
  expect(await Promise.all([write('one moment'), write('STOP')])).toMatchObject([{ runId: null }, { runId: null }]);
  expect(await consent()).toEqual(OPTED_OUT);
  await db.execute(sql`UPDATE end_user SET consent = '{}' WHERE org_id = ${orgId}`);
  await receiveMessage({ db, onAccepted: () => {} }, orgId, id, 'إيقاف', null);
  expect(await consent()).toEqual(OPTED_OUT);
});

test('other words to the team change no consent, and a turn of the agent reads its own stop words', async () => {
  const id = await givenTalk('handed_off');
  await write('Please do not stop the delivery of my order');
  expect(await consent()).toEqual({});
  await db.execute(sql`UPDATE conversation SET status = 'open' WHERE id = ${id}`);
  expect(await write('STOP')).toMatchObject({ runId: expect.any(String) });
  expect(await consent()).toEqual({});
});

test('a stop word that waits for its turn opts the person out if a member takes the conversation over or resolves it', async () => {
  await givenMember(db, orgId, 'user_asha');
  const actor = { userId: 'user_asha', address: null, requestId: null };
  for (const change of [takeOverConversation, resolveConversation]) {
    const id = await givenTalk('open');
    await write('STOP');
    expect(await consent()).toEqual({});
    await change({ db }, orgId, id, actor);
    expect(await consent()).toEqual(OPTED_OUT);
    await db.execute(sql`UPDATE end_user SET consent = '{}' WHERE org_id = ${orgId}`);
  }
});

test('messages that arrive together are stored in their order, also around a stop word', async () => {
  await givenTalk('handed_off');
  await Promise.all(['one', 'two', 'STOP', 'three', 'four'].map(write));
  const { rows } = await db.execute<{ text: string }>(
    sql`SELECT content ->> 'text' AS text FROM message WHERE org_id = ${orgId} ORDER BY id`,
  );
  expect(rows.map(({ text }) => text)).toEqual(['hello', 'one', 'two', 'STOP', 'three', 'four']);
});
