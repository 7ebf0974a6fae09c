import { eq, sql } from 'drizzle-orm';
import { beforeAll, expect, test } from 'vitest';
import { givenAgent, givenConversation, givenMessage, givenOrganization } from '../../../test/factories.ts';
import { useDatabase } from '../../../test/use-database.ts';
import { newId } from '../../kernel/ids.ts';
import type { Db } from '../db.ts';
import { campaign, recipient } from '../schema/campaign.ts';
import { event, eventDelivery, webhookEndpoint } from '../schema/event.ts';
import { message } from '../schema/conversation.ts';
import { run } from '../schema/run.ts';
import { COUNTED, readQueueDepths } from './depth.ts';

/** The two parts of the age that this test gives: a minute ago, and not yet. */
const ago = () => new Date(Date.now() - 60_000);
const later = () => new Date(Date.now() + 3_600_000);
let db: Db;
let orgId: string;
let ids: Awaited<ReturnType<typeof givenAgent>>;
let talk: Awaited<ReturnType<typeof givenConversation>>;

useDatabase((own) => {
  db = own;
});
beforeAll(async () => {
  orgId = await givenOrganization(db, { plan: 'paid' });
  ids = await givenAgent(db, orgId);
  talk = await givenConversation(db, orgId, ids.channelId);
});

const depths = () => readQueueDepths(db);
const none = { due: 0, oldestSeconds: 0 };

test('an empty database has empty queues', async () => {
  expect(await depths()).toEqual({ turns: none, deliveries: none, events: none, recipients: none });
});

test('due turns are counted, and scheduled turns are not', async () => {
  const row = () => ({ orgId, id: newId('run'), conversationId: talk.id, status: 'queued', input: {} });
  await db.insert(run).values([
    { ...row(), dueAt: ago() },
    { ...row(), dueAt: later() },
  ]);
  const { turns } = await depths();
  expect(turns.due).toBe(1);
  expect(Math.round(turns.oldestSeconds / 10)).toBe(6);
});

test('a count ends at its limit', async () => {
  await db.execute(sql`INSERT INTO run (org_id, id, conversation_id, status, input, due_at)
    SELECT ${orgId}, 'run_' || lpad(n::text, 26, '0'), ${talk.id}, 'queued', '{}', now() - interval '1 hour'
    FROM generate_series(1, ${COUNTED + 50}) n`);
  const { turns } = await depths();
  expect(turns.due).toBe(COUNTED);
  expect(turns.oldestSeconds).toBeGreaterThan(3_500);
});

test('due messages and events are counted', async () => {
  await givenMessage(db, orgId, talk.id, { content: { type: 'text', text: 'Hello' } });
  await db.update(message).set({ dueAt: ago() });
  const endpointId = newId('whk');
  await db.insert(webhookEndpoint).values({ orgId, id: endpointId, url: 'https://x.example', sealed: 's' });
  // The database makes a delivery of each event for each endpoint.
  for (const dueAt of [ago(), later()]) {
    const eventId = newId('evt');
    await db.insert(event).values({ orgId, id: eventId, type: 'run.completed', data: {} });
    await db.update(eventDelivery).set({ dueAt }).where(eq(eventDelivery.eventId, eventId));
  }
  expect(await depths()).toMatchObject({ deliveries: { due: 1 }, events: { due: 1 } });
});

test('recipients count if their campaign may send, and a campaign with a rate limit counts one', async () => {
  const id = newId('campaign');
  await db.insert(campaign).values({ ...ids, orgId, id, name: 'Spring', state: 'live', attended: true });
  for (let n = 0; n < 3; n++) {
    const { endUserId } = await givenConversation(db, orgId, ids.channelId);
    const row = { orgId, campaignId: id, id: newId('rcpt'), endUserId, status: 'pending' };
    await db.insert(recipient).values({ ...row, dueAt: n === 2 ? later() : ago() });
  }
  const recipients = async () => (await depths()).recipients;
  expect((await recipients()).due).toBe(2);
  const change = async (values: Partial<typeof campaign.$inferInsert>) => db.update(campaign).set(values);
  await change({ settings: { per_minute: 60 } });
  expect((await recipients()).due).toBe(1);
  await change({ pacedUntil: new Date(Date.now() - 5_000) });
  expect(Math.round((await recipients()).oldestSeconds / 10)).toBeLessThanOrEqual(2);
  await change({ pacedUntil: later() });
  expect(await recipients()).toEqual(none);
  await change({ pacedUntil: null, state: 'paused' });
  expect(await recipients()).toEqual(none);
  await change({ state: 'live' });
  expect((await recipients()).due).toBe(1);
  await db.execute(sql`UPDATE agent SET enabled = false`);
  expect(await recipients()).toEqual(none);
});
