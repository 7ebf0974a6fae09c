import { sql } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import type { AgentDefinition } from '../../../contract/agents.ts';
import { givenAgent, givenChannel, givenMessage, givenOrganization } from '../../../test/factories.ts';
import { useDatabase } from '../../../test/use-database.ts';
import { setConsent } from '../../store/end-users/set-consent.ts';
import type { Db } from '../../store/db.ts';
import { createSuppression } from '../../store/end-users/suppression.ts';
import { findDueSurveys } from '../../store/ratings/survey.ts';
import { createInboundQueue, type InboundQueue } from './inbound-queue.ts';
import { resolveConversation } from './hand-over.ts';
import { sendSurvey } from './send-survey.ts';

let db: Db;
let queue: InboundQueue;
let orgId: string;
let channel: Parameters<InboundQueue['store']>[0];
let conversationId: string;

useDatabase((own) => {
  db = own;
  queue = createInboundQueue(db, createSuppression(Buffer.alloc(32)));
});
beforeEach(() => givenTalk({ survey: {} }));

const actor = { userId: 'user_member', address: null, requestId: null };
let events = 0;

/** A person has written, and the agent has answered. */
async function givenTalk(definition: AgentDefinition, kind: 'telegram' | 'whatsapp' = 'telegram'): Promise<void> {
  orgId = await givenOrganization(db);
  const { agentId } = await givenAgent(db, orgId, { definition });
  const id = await givenChannel(db, orgId, agentId, { kind });
  channel = { orgId, id, agentId, kind, enabled: true, settings: {}, sealed: null };
  await write('Where is my order?');
  const { rows } = await db.execute<{ id: string }>(sql`SELECT id FROM conversation WHERE org_id = ${orgId}`);
  conversationId = rows[0]!.id;
  await givenMessage(db, orgId, conversationId, { content: { type: 'text', text: 'On its way.' }, status: 'sent' });
}

function write(text: string, more: { file?: { name: string; source: Record<string, string> } } = {}) {
  const eventId = `event-${++events}`;
  const content = { type: 'text' as const, text };
  const event = { type: 'message' as const, eventId, address: '7', person: {}, content, ...more };
  return queue.store(channel, event, 'req_test');
}

async function resolve(): Promise<void> {
  await resolveConversation({ db }, orgId, conversationId, actor);
  for (const due of await findDueSurveys(db, 1_000)) if (due.orgId === orgId) await sendSurvey({ db }, due);
}

const status = async () =>
  (await db.execute<{ status: string }>(sql`SELECT status FROM conversation WHERE id = ${conversationId}`)).rows[0]!
    .status;
const rating = async () =>
  (await db.execute(sql`SELECT score, comment FROM rating WHERE conversation_id = ${conversationId}`)).rows[0];
const sent = async () =>
  (
    await db.execute<{ content: { text: string; choices?: { label: string }[] } }>(sql`SELECT content FROM message
      WHERE conversation_id = ${conversationId} AND role = 'agent' AND due_at IS NOT NULL ORDER BY id`)
  ).rows.map(({ content }) => content);

test('a score and the comment after it are stored without reopening the conversation or starting a run', async () => {
  await resolve();
  const [question] = await sent();
  expect(question).toMatchObject({ type: 'choices', text: 'How was this conversation?' });
  expect(question!.choices!.map(({ label }) => label)).toEqual(['Very bad', 'Bad', 'Okay', 'Good', 'Very good']);

  expect(await write('Good')).toMatchObject({ runId: null });
  expect([await status(), await rating()]).toEqual(['resolved', { score: 4, comment: null }]);
  expect((await sent())[1]!.text).toContain('add a comment');

  expect(await write('Fast and friendly')).toMatchObject({ runId: null });
  expect([await status(), await rating()]).toEqual(['resolved', { score: 4, comment: 'Fast and friendly' }]);
  // Only the first text is the comment.
  expect((await write('One more question'))!.runId).not.toBe(null);
  expect(await status()).toBe('open');
});

test('score and comment may arrive together, and a repeated event changes nothing', async () => {
  await resolve();
  await Promise.all([write('2'), write('Too slow')]);
  events -= 2;
  expect(await write('5')).toBe(null);
  expect([await status(), await rating()]).toEqual(['resolved', { score: 2, comment: 'Too slow' }]);
});

test('any other message ends the survey, and a score after it is a normal message', async () => {
  await resolve();
  expect((await write('Where is the other order?'))!.runId).not.toBe(null);
  expect([await status(), await rating()]).toEqual(['open', { score: null, comment: null }]);
  await resolve();
  expect((await write('4'))!.runId).not.toBe(null);
  expect((await rating())!['score']).toBe(null);
  // At most one question for each conversation.
  expect(await sent()).toHaveLength(1);
});

test.each([
  ['a text after the time', 'Late'],
  ['an opt-out', 'STOP'],
  ['a file', '[photo]'],
])('%s is not stored as a comment', async (kind, text) => {
  await resolve();
  await write('4');
  if (kind === 'a text after the time')
    await db.execute(sql`UPDATE rating SET rated_at = now() - interval '11 minutes' WHERE org_id = ${orgId}`);
  const file = kind === 'a file' ? { file: { name: 'a.jpg', source: { id: '1' } } } : {};
  expect((await write(text, file))!.runId).not.toBe(null);
  expect([await status(), await rating()]).toEqual(['open', { score: 4, comment: null }]);
});

test('no survey is sent if the person has nothing to rate or may get no message', async () => {
  const asked = async (definition: AgentDefinition, change: () => Promise<unknown>, kind?: 'whatsapp') => {
    await givenTalk(definition, kind);
    await change();
    await resolve();
    return (await sent()).length;
  };
  const nothing = () => Promise.resolve();
  const forget = (role: string) => () =>
    db.execute(sql`DELETE FROM message WHERE conversation_id = ${conversationId} AND role = ${role}`);
  const optOut = async () => {
    const { rows } = await db.execute<{ id: string }>(sql`SELECT id FROM end_user WHERE org_id = ${orgId}`);
    await setConsent(db, orgId, rows[0]!.id, 'telegram', 'opted_out', 'test');
  };
  const wroteYesterday = () =>
    db.execute(sql`UPDATE identity SET last_inbound_at = now() - interval '25 hours' WHERE org_id = ${orgId}`);
  expect(await asked({ survey: { channels: ['telegram'] } }, nothing)).toBe(1);
  expect(await asked({ survey: { channels: ['sms'] } }, nothing)).toBe(0);
  expect(await asked({}, nothing)).toBe(0);
  expect(await asked({ survey: {} }, forget('end_user'))).toBe(0);
  expect(await asked({ survey: {} }, forget('agent'))).toBe(0);
  expect(await asked({ survey: {} }, optOut)).toBe(0);
  expect(await asked({ survey: {} }, nothing, 'whatsapp')).toBe(1);
  expect(await asked({ survey: {} }, wroteYesterday, 'whatsapp')).toBe(0);
});

test('the texts of a survey come from the agent, in the language of the conversation', async () => {
  const survey = { question: { en: 'Happy, {{agent.name}}?', ar: 'راضٍ؟' }, thanks: { ar: 'شكرًا' } };
  await givenTalk({ survey });
  await db.execute(sql`UPDATE conversation SET locale = 'ar-QA' WHERE id = ${conversationId}`);
  await resolve();
  await write('٥');
  const [question, thanks] = await sent();
  expect([question!.text, question!.choices![4]!.label, thanks!.text]).toEqual(['راضٍ؟', 'جيدة جدًا', 'شكرًا']);
});

test('two workers at the same time send a survey only once', async () => {
  await resolveConversation({ db }, orgId, conversationId, actor);
  const due = (await findDueSurveys(db, 1_000)).filter((one) => one.orgId === orgId);
  const outcomes = await Promise.all([...due, ...due, ...due].map((one) => sendSurvey({ db }, one)));
  expect([outcomes.filter(Boolean).length, (await sent()).length]).toEqual([1, 1]);
});
