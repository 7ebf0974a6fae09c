import { createHash } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  givenAgent,
  givenChannel,
  givenConversation,
  givenMessage,
  givenOrganization,
  givenRecipientInQuietHours,
} from '../../../test/factories.ts';
import { type Receiver, startReceiver } from '../../../test/fakes/receiver.ts';
import { useDatabase } from '../../../test/use-database.ts';
import { channelKinds } from '../../channels/kinds.ts';
import { verifyWebhook } from '../../kernel/standard-webhooks.ts';
import { createEgress } from '../../kernel/egress.ts';
import { newId } from '../../kernel/ids.ts';
import { createLogger } from '../../kernel/log.ts';
import { deriveKey } from '../../kernel/seal.ts';
import { createSecretsOpener } from '../../store/channels/secrets.ts';
import type { Db } from '../../store/db.ts';
import { claimDeliveries } from '../../store/deliveries/claim.ts';
import { applyReceipts, keepReceipts } from '../../store/deliveries/receipts.ts';
import type { Worker } from '../claim-loop.ts';
import { createDeliveryWorker } from './deliver-messages.ts';

const SECRET = `whsec_${createHash('sha256').update('test').digest('base64')}`;
const sealingKey = deriveKey('secret of the test', 'sealing');
const egress = createEgress({ allow: ['127.0.0.1'] });
const log = createLogger({ level: 'silent', pretty: false });

let db: Db;
let receiver: Receiver;
let workers: Worker[];
let orgId: string;
let channelId: string;

const worker = () => {
  const openSecrets = createSecretsOpener(db, sealingKey);
  const made = createDeliveryWorker({
    db,
    log,
    kinds: channelKinds,
    egress,
    openSecrets,
    baseUrl: 'http://127.0.0.1:4000',
  });
  workers.push(made);
  made.start();
  return made;
};

useDatabase((made) => (db = made));
beforeEach(async () => {
  await db.execute(sql`UPDATE message SET due_at = NULL`);
  workers = [];
  receiver = await startReceiver();
  orgId = await givenOrganization(db);
  const { agentId } = await givenAgent(db, orgId);
  channelId = await givenChannel(db, orgId, agentId, {
    kind: 'webhook',
    settings: { url: receiver.url },
    secrets: { secret: SECRET },
    sealingKey,
  });
});
afterEach(async () => {
  await Promise.all(workers.map((one) => one.stop(1_000)));
  await receiver.stop();
});
afterAll(async () => {
  await egress.close();
});

const conversation = () => givenConversation(db, orgId, channelId);
const say = (conversationId: string, text: string, more = {}) =>
  givenMessage(db, orgId, conversationId, {
    content: { type: 'text', text },
    status: 'queued',
    dueAt: new Date(),
    ...more,
  });
const read = async (id: string) => {
  const found = await db.execute<{ status: string } & Record<string, unknown>>(
    sql`SELECT * FROM message WHERE id = ${id}`,
  );
  return found.rows[0]!;
};
async function settled(id: string, ...statuses: string[]) {
  for (const until = Date.now() + 20_000; Date.now() < until;) {
    const row = await read(id);
    if (statuses.includes(row.status)) return row;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`message is ${JSON.stringify(await read(id))}`);
}
const textsOf = ({ calls }: Receiver) => calls.map((call) => JSON.parse(call.body.toString()).content.text);
const due = (id: string) => db.execute(sql`UPDATE message SET due_at = now() WHERE id = ${id} AND due_at IS NOT NULL`);

/** A text that the database cannot compress to a length that an index accepts. */
const longId = () =>
  Array.from({ length: 200 }, (_, at) => createHash('sha256').update(String(at)).digest('base64')).join('');

const channelState = () => db.execute(sql`SELECT status, status_detail FROM channel WHERE id = ${channelId}`);
const tell = async (providerMessageId: string, ...statuses: ('delivered' | 'read' | 'failed')[]) => {
  for (const status of statuses) {
    await keepReceipts(db.$client, orgId, channelId, [{ providerMessageId, status, error: null }]);
    await applyReceipts(db.$client, [{ orgId, providerMessageId }]);
  }
};

describe('a message that is due', () => {
  test('a message reaches the endpoint once, signed as Standard Webhooks, and has the status sent', async () => {
    const id = await say((await conversation()).id, 'Your order shipped');
    worker();
    const row = await settled(id, 'sent');
    expect(row).toMatchObject({ attempts: 1, possible_duplicate: false, error: null, due_at: null, lease: null });
    expect(receiver.calls).toHaveLength(1);
    const [call] = receiver.calls;
    expect(call!.headers['webhook-id']).toBe(id);
    expect(verifyWebhook(SECRET, call!.headers as never, call!.body, Date.now())).toBe(true);
    expect(JSON.parse(call!.body.toString())).toMatchObject({
      message_id: id,
      content: { text: 'Your order shipped' },
    });
  });

  test('messages are sent in the order of their conversation, even if one of them is retried', async () => {
    const { id } = await conversation();
    let refused = 0;
    receiver.answer = (call) =>
      call.body.includes('"two"') && refused++ === 0 ? { status: 503, headers: { 'retry-after': '1' } } : {};
    const ids = [];
    for (const [index, text] of ['one', 'two', 'three'].entries())
      ids.push(await say(id, text, { at: Date.now() - 10 + index }));
    worker();
    worker();
    await settled(ids[2]!, 'sent');
    expect(textsOf(receiver)).toEqual(['one', 'two', 'two', 'three']);
  });

  test('a message does not wait for an earlier message that is scheduled for later', async () => {
    const { id } = await conversation();
    const later = new Date(Date.now() + 3_600_000);
    const scheduled = await say(id, 'tomorrow', { at: Date.now() - 10, sendAt: later, dueAt: later });
    const now = await say(id, 'now');
    worker();
    await settled(now, 'sent');
    expect((await read(scheduled))['status']).toBe('queued');
  });

  test('the first message of a campaign that was delayed into quiet hours waits for their end', async () => {
    const { id: conversationId, endUserId } = await conversation();
    const runId = newId('run');
    await db.execute(sql`INSERT INTO run (org_id, id, conversation_id, status, input)
      VALUES (${orgId}, ${runId}, ${conversationId}, 'running', '{}')`);
    await givenRecipientInQuietHours(db, orgId, { conversationId, endUserId, runId });
    const id = await say(conversationId, 'Hi', { runId, at: Date.now() - 120_000 });
    worker();
    const waits = async () =>
      (
        await db.execute(sql`SELECT 1 FROM message WHERE id = ${id} AND lease IS NULL AND attempts = 0
        AND due_at > now() + interval '3 hours'`)
      ).rows.length;
    await expect.poll(waits).toBe(1);
    expect(receiver.calls).toEqual([]);
    await db.execute(sql`UPDATE campaign SET settings = '{}' WHERE org_id = ${orgId}`);
    await due(id);
    await settled(id, 'sent');
  });

  test('many workers send a message only once', async () => {
    const ids = await Promise.all(Array.from({ length: 60 }, async () => say((await conversation()).id, 'hello')));
    worker();
    worker();
    worker();
    await Promise.all(ids.map((id) => settled(id, 'sent')));
    expect(receiver.calls).toHaveLength(60);
  });
});

describe('a provider that fails', () => {
  test('after 429, the provider is not called again before Retry-After', async () => {
    receiver.answer = () => (receiver.calls.length === 1 ? { status: 429, headers: { 'retry-after': '2' } } : {});
    const id = await say((await conversation()).id, 'hello');
    worker();
    const row = await settled(id, 'sent');
    expect(row).toMatchObject({ attempts: 2, possible_duplicate: false, error: null });
    expect(receiver.calls[1]!.at - receiver.calls[0]!.at).toBeGreaterThan(1_900);
  });

  test.each([400, 404, 422])(
    'after %i, the provider is not called again, and the message states the reason',
    async (status) => {
      receiver.answer = () => ({ status });
      const id = await say((await conversation()).id, 'hello');
      worker();
      const row = await settled(id, 'failed');
      expect(row).toMatchObject({ attempts: 1, error: { code: 'provider_refused', provider_code: String(status) } });
      expect(receiver.calls).toHaveLength(1);
    },
  );

  test('401 marks the channel as broken, with the reason, until a message succeeds', async () => {
    receiver.answer = () => ({ status: 401 });
    worker();
    await settled(await say((await conversation()).id, 'hello'), 'failed');
    await expect
      .poll(async () => (await channelState()).rows[0])
      .toMatchObject({ status: 'broken', status_detail: expect.stringContaining('401') });
    receiver.answer = () => ({});
    await settled(await say((await conversation()).id, 'hello'), 'sent');
    await expect.poll(async () => (await channelState()).rows[0]).toEqual({ status: 'connected', status_detail: null });
  });

  test.each([
    ['a refusal with NUL and half of a pair', { ok: false, description: 'No\u0000 \ud83d' }, 400],
    ['a refusal that is cut inside of a pair', { ok: false, description: `${'x'.repeat(299)}\u{1f600}` }, 401],
    ['an ID that is too long for an index', { ok: true, result: { message_id: longId() } }, 200],
  ])('a provider that answers with %s is called once, and other messages are not called again', async (...given) => {
    const [, json, status] = given;
    const { agentId } = await givenAgent(db, orgId);
    const settings = { api_url: receiver.url };
    const secrets = { bot_token: '1:a', hook_secret: 'b' };
    const bot = await givenChannel(db, orgId, agentId, { kind: 'telegram', settings, secrets, sealingKey });
    receiver.answer = ({ path }) => (path.startsWith('/bot') ? { json, status } : {});
    const odd = await say((await givenConversation(db, orgId, bot, { address: '7' })).id, 'hello');
    const usual = await say((await conversation()).id, 'hello');
    worker();
    await settled(odd, status === 200 ? 'sent' : 'failed');
    await settled(usual, 'sent');
    expect(receiver.calls).toHaveLength(2);
  });

  test('a provider that hangs up after it read a message gets it again with the same ID and a flag', async () => {
    receiver.answer = () => (receiver.calls.length === 1 ? 'reset' : {});
    const id = await say((await conversation()).id, 'hello');
    worker();
    const row = await settled(id, 'sent');
    expect(row).toMatchObject({ attempts: 2, possible_duplicate: true });
    expect(receiver.calls.map((call) => call.headers['webhook-id'])).toEqual([id, id]);
  });

  test('a message that fails permanently is given up after the last attempt', async () => {
    receiver.answer = () => ({ status: 500 });
    const id = await say((await conversation()).id, 'hello', { attempts: 11 });
    worker();
    const row = await settled(id, 'failed');
    expect(row).toMatchObject({ attempts: 12, error: { code: 'provider_unavailable' }, due_at: null });
  });

  test('a failing provider does not delay messages of other channels', async () => {
    receiver.answer = () => 'hang';
    await Promise.all(
      Array.from({ length: 150 }, async () =>
        say((await conversation()).id, 'slow', { dueAt: new Date(Date.now() - 60_000) }),
      ),
    );
    const other = await startReceiver();
    const { agentId } = await givenAgent(db, orgId);
    channelId = await givenChannel(db, orgId, agentId, { kind: 'webhook', settings: { url: other.url } });
    const id = await say((await conversation()).id, 'quick');
    worker();
    await settled(id, 'sent');
    expect(other.calls).toHaveLength(1);
    await other.stop();
  });
});

describe('a worker that dies between calling and storing', () => {
  test('when a worker dies, another one sends its message and flags the possible duplicate', async () => {
    const id = await say((await conversation()).id, 'hello');
    // The dead worker: it claimed, may have called, and stored nothing.
    await claimDeliveries(db.$client, 'node_dead', 10);
    worker();
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect((await read(id))['status']).toBe('queued');
    await due(id);
    expect(await settled(id, 'sent')).toMatchObject({ attempts: 2, possible_duplicate: true });
  });

  test('a worker that lost its lease can no longer store its outcome', async () => {
    const { promise: after, resolve: comeBack } = Promise.withResolvers<void>();
    receiver.answer = () => (receiver.calls.length === 1 ? { status: 400, after } : {});
    const id = await say((await conversation()).id, 'hello');
    const slow = worker();
    await receiver.received(1);
    // It claims nothing more and waits for its call; then its lease expires, and another worker takes the message over.
    const isOver = slow.stop(20_000);
    workers = [];
    await db.execute(sql`UPDATE message SET due_at = now(), lease = lease || '_lost' WHERE id = ${id}`);
    worker();
    await settled(id, 'sent');
    comeBack();
    await isOver;
    expect(await read(id)).toMatchObject({ status: 'sent', possible_duplicate: true, error: null });
  });
});

describe('a person who may not be messaged', () => {
  test.each([
    ['has opted out', sql`consent = '{"webhook":{"status":"opted_out"}}'`, 'recipient_opted_out'],
    ['is blocked', sql`blocked = true`, 'recipient_blocked'],
  ])('a message to a person who %s is suppressed without calling the provider', async (_, change, code) => {
    const { id, endUserId } = await conversation();
    await db.execute(sql`UPDATE end_user SET ${change} WHERE id = ${endUserId}`);
    const message = await say(id, 'hello');
    worker();
    expect(await settled(message, 'suppressed')).toMatchObject({ error: { code } });
    expect(receiver.calls).toHaveLength(0);
  });
});

test('after “stop” a person gets only the confirmation, and no earlier or later message', async () => {
  const { id, endUserId } = await conversation();
  const run = newId('run');
  await db.execute(sql`INSERT INTO run (org_id, id, conversation_id, status, reason, input)
    VALUES (${orgId}, ${run}, ${id}, 'completed', 'opted_out', '{}')`);
  await db.execute(sql`UPDATE end_user SET consent = '{"webhook":{"status":"opted_out"}}' WHERE id = ${endUserId}`);
  const waited = await say(id, 'Our offer', { runId: run, at: Date.now() - 2_000 });
  const stop = { content: { type: 'text' as const, text: 'stop' }, role: 'end_user', status: 'received' };
  await givenMessage(db, orgId, id, { ...stop, at: Date.now() - 1_000 });
  const answer = await say(id, 'You will hear no more.', { runId: run });
  const other = await say(id, 'One more thing');
  worker();
  await settled(answer, 'sent');
  for (const message of [waited, other]) {
    expect(await settled(message, 'suppressed')).toMatchObject({ error: { code: 'recipient_opted_out' } });
  }
  expect(textsOf(receiver)).toEqual(['You will hear no more.']);
});

describe('receipts', () => {
  test('delivered never replaces read, in any order and number of receipts', async () => {
    const id = await say((await conversation()).id, 'hello');
    worker();
    await settled(id, 'sent');
    await tell(id, 'read', 'delivered', 'delivered', 'failed', 'read');
    expect((await read(id))['status']).toBe('read');
  });

  test('receipts that arrive before the response of the call are applied later', async () => {
    const { promise: after, resolve: comeBack } = Promise.withResolvers<void>();
    receiver.answer = () => ({ after });
    const id = await say((await conversation()).id, 'hello');
    worker();
    await receiver.received(1);
    await tell(id, 'delivered');
    comeBack();
    expect(await settled(id, 'delivered')).toMatchObject({ attempts: 1 });
  });
});
