import { sql } from 'drizzle-orm';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { givenAgent, givenMember, givenOrganization, givenTrigger } from '../../../test/factories.ts';
import { createTestDatabase, type TestDatabase } from '../../../test/postgres.ts';
import { NO_KNOWLEDGE, ProviderError, type TurnRequest, type TurnResult } from '../../engine/provider.ts';
import { handBackConversation, takeOverConversation } from '../../features/conversations/hand-over.ts';
import { summarizeConversation } from '../../features/conversations/read-conversations.ts';
import { receiveMessage } from '../../features/conversations/receive-message.ts';
import { snoozeConversation } from '../../features/conversations/snooze-conversation.ts';
import { type AcceptQueue, createAcceptQueue } from '../../store/runs/accept.ts';
import { createEndUserQueue } from '../../store/end-users/upsert.ts';
import { type Db, openDb } from '../../store/db.ts';
import { cancelRunRow } from '../../store/runs/read.ts';
import type { Worker } from '../claim-loop.ts';
import { createAgentLoader } from '../../answering/load-agent.ts';
import { NO_READERS } from '../../../test/no-readers.ts';
import { NO_TOOLS } from '../../../test/no-tools.ts';
import { createTurnWorker } from './turn-worker.ts';

/**
 * A backend and a person write into one conversation at the same time: every message is answered, and every run ends.
 */
let database: TestDatabase;
let db: Db;
let queue: AcceptQueue;
let orgId: string;
let agent: { agentId: string; channelId: string; triggerId: string };
const workers: Worker[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  db = openDb(database.url);
  queue = createAcceptQueue(db);
  orgId = await givenOrganization(db);
  await givenMember(db, orgId, 'user_member');
  const made = await givenAgent(db, orgId);
  agent = { ...made, triggerId: await givenTrigger(db, orgId, made.agentId) };
});
afterEach(async () => {
  for (const worker of workers.splice(0)) await worker.stop(1_000);
});
afterAll(async () => {
  await queue?.drain();
  await db?.$client.end();
  await database?.drop();
});

const usual = ({ input }: TurnRequest): TurnResult => say(input.length === 0 ? 'opening' : `to ${input.join(' | ')}`);

function startWorker(turn: (request: TurnRequest) => TurnResult | Promise<TurnResult> = usual): void {
  const loadAgent = createAgentLoader(db, async () => ({ name: 'fake', turn: async (request) => turn(request) }), {
    of: () => NO_KNOWLEDGE,
  });
  const worker = createTurnWorker({
    db,
    log: pino({ level: 'silent' }),
    loadAgent,
    onStored: () => {},
    endUserQueue: createEndUserQueue(db),
    liveDeltas: NO_READERS,
    callTool: NO_TOOLS,
  });
  workers.push(worker);
  worker.start();
}

const say = (text: string): TurnResult => ({
  messages: [{ content: { type: 'text', text }, sources: [] }],
  state: {},
  next: 'waiting_for_user',
  tags: [],
  opted_out: false,
  trace: { provider: 'fake', steps: [] },
});

async function trigger(key: string, more: { message?: string; sendAt?: Date } = {}) {
  const outcome = await queue.accept({
    ...agent,
    orgId,
    keyId: null,
    from: null,
    address: null,
    channelKind: 'sandbox',
    addressFrom: null,
    endUser: null,
    fillsOnly: false,
    conversation: { key, onExisting: 'continue' },
    message: more.message ?? null,
    optsOutOf: null,
    input: {},
    sendAt: more.sendAt ?? null,
    requestId: 'req_test',
    idempotency: null,
    answer: () => ({ status: 202, location: null, body: '{}' }),
  });
  if (outcome.kind !== 'accepted') throw new Error(JSON.stringify(outcome));
  return outcome.run;
}

const receive = (conversationId: string, text: string) =>
  receiveMessage({ db, onAccepted: () => {} }, orgId, conversationId, text, null);

const actor = { userId: 'user_member', address: null, requestId: null };

/** The agent's messages, and the state of each run in the order of acceptance, when nothing is due any more. */
async function settled(conversationId: string) {
  const due = sql`SELECT 1 FROM run WHERE conversation_id = ${conversationId} AND due_at IS NOT NULL AND status <> 'scheduled'`;
  await expect.poll(async () => (await db.execute(due)).rows, { timeout: 20_000 }).toEqual([]);
  const messages = await db.execute<{ text: string }>(
    sql`SELECT content ->> 'text' AS text FROM message WHERE conversation_id = ${conversationId} AND role = 'agent' ORDER BY id`,
  );
  const runs = await db.execute<{ state: string }>(
    sql`SELECT concat_ws(' ', status, reason) AS state FROM run WHERE conversation_id = ${conversationId} ORDER BY created_at, id`,
  );
  return { texts: messages.rows.map(({ text }) => text), runs: runs.rows.map(({ state }) => state) };
}

test('a message that arrives before the agent opens is answered after the opening', async () => {
  const { conversationId } = await trigger('before the opening');
  await receive(conversationId, 'hello?');
  startWorker();
  expect(await settled(conversationId)).toEqual({ texts: ['opening', 'to hello?'], runs: ['waiting_for_user'] });
});

test('a message that arrives while the agent opens is answered after the opening', async () => {
  const opening = Promise.withResolvers<void>();
  const received = Promise.withResolvers<void>();
  let turns = 0;
  startWorker(async (request) => {
    if (++turns === 1) {
      opening.resolve();
      await received.promise;
    }
    return usual(request);
  });
  const { conversationId } = await trigger('while it opens');
  await opening.promise;
  await receive(conversationId, 'hello?');
  received.resolve();
  expect(await settled(conversationId)).toEqual({ texts: ['opening', 'to hello?'], runs: ['waiting_for_user'] });
});

test('a call without a message does not cancel the answer that a person waits for', async () => {
  const { conversationId } = await trigger('question and call');
  startWorker();
  await settled(conversationId);
  await workers.pop()!.stop(1_000);
  await receive(conversationId, 'where is it?');
  await trigger('question and call');
  startWorker();
  const { texts, runs } = await settled(conversationId);
  expect(texts.toSorted()).toEqual(['opening', 'opening', 'to where is it?']);
  expect(runs.toSorted()).toEqual(['completed continued', 'waiting_for_user']);
});

test('one of two simultaneous calls continues, and the other ends', async () => {
  const { conversationId } = await trigger('two calls', { message: 'one' });
  await trigger('two calls', { message: 'two' });
  startWorker();
  const { runs } = await settled(conversationId);
  expect(runs.toSorted()).toEqual(['completed continued', 'waiting_for_user']);
});

test('two calls during a turn get one answer to both messages, in their order', async () => {
  const asked: TurnRequest[] = [];
  const begun = Promise.withResolvers<void>();
  const accepted = Promise.withResolvers<void>();
  startWorker(async (request) => {
    asked.push(request);
    if (asked.length === 1) {
      begun.resolve();
      await accepted.promise;
    }
    return usual(request);
  });
  const { conversationId } = await trigger('two messages', { message: 'one' });
  await begun.promise;
  await trigger('two messages', { message: 'two' });
  accepted.resolve();
  expect(await settled(conversationId)).toEqual({
    texts: ['to one | two'],
    runs: ['completed continued', 'waiting_for_user'],
  });
  expect(asked.map(({ input }) => input)).toEqual([['one'], ['one', 'two']]);
  for (const { input, history } of asked) expect(history.slice(-input.length).map(({ text }) => text)).toEqual(input);
});

test('a run answers if the later run of its conversation was cancelled', async () => {
  const { conversationId } = await trigger('cancelled', { message: 'one' });
  const later = await trigger('cancelled', { message: 'two' });
  await cancelRunRow(db, orgId, later.id);
  startWorker();
  expect(await settled(conversationId)).toEqual({ texts: ['to one | two'], runs: ['waiting_for_user', 'cancelled'] });
});

test('a scheduled message is the newest when it is due, and is answered once', async () => {
  const asked: TurnRequest[] = [];
  startWorker((request) => {
    asked.push(request);
    return usual(request);
  });
  const later = await trigger('due', { message: 'first', sendAt: new Date(Date.now() + 86_400_000) });
  const { conversationId } = await trigger('due', { message: 'second' });
  await settled(conversationId);
  await db.execute(sql`UPDATE run SET due_at = now() WHERE id = ${later.id}`);
  await expect.poll(async () => (await settled(conversationId)).texts).toEqual(['to second', 'to first']);
  expect(asked.at(-1)!.history.map(({ text }) => text)).toEqual(['second', 'to second', 'first']);
});

test('a scheduled call ends the earlier run when it is due', async () => {
  const { conversationId } = await trigger('later');
  startWorker();
  await settled(conversationId);
  const later = await trigger('later', { sendAt: new Date(Date.now() + 86_400_000) });
  expect((await settled(conversationId)).runs).toEqual(['waiting_for_user', 'scheduled']);
  await db.execute(sql`UPDATE run SET due_at = now() WHERE id = ${later.id}`);
  await expect.poll(async () => (await settled(conversationId)).texts).toEqual(['opening', 'opening']);
  expect((await settled(conversationId)).runs).toEqual(['completed continued', 'waiting_for_user']);
});

test('a scheduled call starts if the conversation that a member took over is handed back before the time', async () => {
  const { conversationId } = await trigger('taken over');
  startWorker();
  await settled(conversationId);
  await takeOverConversation({ db }, orgId, conversationId, actor);
  const later = await trigger('taken over', { sendAt: new Date(Date.now() + 86_400_000) });
  expect(later.status).toBe('scheduled');
  await handBackConversation({ db }, orgId, conversationId, actor);
  await db.execute(sql`UPDATE run SET due_at = now() WHERE id = ${later.id}`);
  await expect.poll(async () => (await settled(conversationId)).texts).toEqual(['opening', 'opening']);
});

test('a trigger call with a message ends the snooze, and a call without a message, or for later, does not', async () => {
  const { conversationId } = await trigger('put off');
  startWorker();
  await settled(conversationId);
  await takeOverConversation({ db }, orgId, conversationId, actor);
  const until = new Date(Date.now() + 3_600_000).toISOString();
  await snoozeConversation({ db, now: Date.now }, orgId, conversationId, until, actor);
  const snoozedUntil = async () => (await summarizeConversation({ db }, orgId, conversationId)).snoozed_until;
  await trigger('put off');
  await trigger('put off', { message: 'tomorrow', sendAt: new Date(Date.now() + 86_400_000) });
  expect(await snoozedUntil()).toBe(until);
  expect((await trigger('put off', { message: 'Is someone there?' })).status).toBe('handed_off');
  expect(await snoozedUntil()).toBeNull();
});

test('a message that arrives while a turn fails permanently gets its own turn', async () => {
  let turns = 0;
  const failing = Promise.withResolvers<void>();
  const received = Promise.withResolvers<void>();
  startWorker(async (request) => {
    if (++turns > 1) return usual(request);
    failing.resolve();
    await received.promise;
    throw new ProviderError('provider_refused', 'No.', { retryable: false });
  });
  const { conversationId } = await trigger('failing', { message: 'one' });
  await failing.promise;
  await receive(conversationId, 'two');
  received.resolve();
  expect(await settled(conversationId)).toEqual({ texts: ['to one | two'], runs: ['waiting_for_user'] });
});
