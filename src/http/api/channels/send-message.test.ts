import { createHash } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestApp, startTestApp } from '../../../../test/app.ts';
import {
  givenAgent,
  givenChannel,
  givenConversation,
  givenMessage,
  givenOrganization,
} from '../../../../test/factories.ts';
import { type Receiver, startReceiver } from '../../../../test/fakes/receiver.ts';

const SECRET = `whsec_${createHash('sha256').update('journey').digest('base64')}`;

let parley: TestApp;
let receiver: Receiver;
let orgId: string;
let agentId: string;
let webhookId: string;
let sandboxId: string;
let key: string;

beforeAll(async () => {
  receiver = await startReceiver();
  parley = await startTestApp({ PARLEY_EGRESS_ALLOW: '127.0.0.1' });
  orgId = await givenOrganization(parley.db);
  ({ agentId, channelId: sandboxId } = await givenAgent(parley.db, orgId));
  webhookId = await givenChannel(parley.db, orgId, agentId, {
    kind: 'webhook',
    settings: { url: receiver.url },
    secrets: { secret: SECRET },
    sealingKey: parley.secrets.sealingKey,
  });
  key = (await parley.key(orgId, { permissions: ['channels'] })).value;
});
afterAll(async () => {
  await parley.stop();
  await receiver.stop();
});

const pathOf = (channelId: string) => `/api/channels/${agentId}/${channelId}/messages`;
const text = (words: string) => ({ type: 'text', text: words });
const send = (body: unknown, headers: Record<string, string> = {}, channelId = webhookId) =>
  parley.call('POST', pathOf(channelId), { key, body, headers });
const read = async (id: string, channelId = webhookId) => {
  const { body } = await parley.call('GET', `${pathOf(channelId)}/${id}`, { key });
  return body;
};
const count = async (table: string) =>
  Number((await parley.db.execute<{ n: string }>(sql.raw(`SELECT count(*) AS n FROM ${table}`))).rows[0]!.n);
const crm = (id: string, more = {}) => ({ end_user: { external_id: id, ...more } });

describe('202', () => {
  test('a message to a new person is stored and delivered, and can be read', async () => {
    const answer = await send({
      to: crm('c-1', { name: 'Asha' }),
      content: text('Your order shipped'),
      metadata: { order: 'A' },
    });
    expect(answer.status).toBe(202);
    expect(answer.headers.get('location')).toBe(`${parley.config.baseUrl}${pathOf(webhookId)}/${answer.body.id}`);
    await expect.poll(async () => (await read(answer.body.id)).status).toBe('sent');
    const record = await read(answer.body.id);
    expect(record).toMatchObject({
      ...answer.body,
      status: 'sent',
      attempts: 1,
      error: null,
      metadata: { order: 'A' },
    });
    const call = receiver.calls.find(({ headers }) => headers['webhook-id'] === answer.body.id)!;
    expect(JSON.parse(call.body.toString())).toMatchObject({
      address: 'c-1',
      end_user: { name: 'Asha' },
      metadata: { order: 'A' },
    });
  });

  test('messages to one person belong to one conversation, however the calls name the person', async () => {
    const answers = await Promise.all([1, 2, 3].map((n) => send({ to: crm('c-2'), content: text(`${n}`) })));
    const more = [
      await send({ to: { address: 'c-2' }, content: text('4') }),
      await send({ to: { conversation_id: answers[0]!.body.conversation_id }, content: text('5') }),
    ];
    expect([...answers, ...more].map((answer) => answer.status)).toEqual([202, 202, 202, 202, 202]);
    expect(new Set([...answers, ...more].map(({ body }) => body.conversation_id)).size).toBe(1);
    expect(new Set([...answers, ...more].map(({ body }) => body.end_user_id)).size).toBe(1);
  });

  test('an unknown address creates the person', async () => {
    const answer = await send({ to: { address: 'c-3' }, content: text('hello') });
    const found = await parley.db.execute(sql`SELECT external_id FROM end_user WHERE id = ${answer.body.end_user_id}`);
    expect(found.rows).toEqual([{ external_id: 'c-3' }]);
  });

  test('first messages to an address that arrive together are for one person', async () => {
    const calls = [1, 2, 3].map(() => send({ to: { address: 'together' }, content: text('hello') }, {}, sandboxId));
    const people = (await Promise.all(calls)).map(({ body }) => body.end_user_id);
    expect(people).toEqual([expect.any(String), people[0], people[0]]);
  });

  test('a message to a named person is accepted if the address belongs to another person', async () => {
    const other = await send({ to: { address: 'shared' }, content: text('hello') }, {}, sandboxId);
    await parley.db.execute(sql`UPDATE identity SET channel_id = ${webhookId} WHERE address = 'shared'`);
    const [named, byAddress] = await Promise.all([
      send({ to: crm('shared'), content: text('hello') }),
      send({ to: { address: 'shared' }, content: text('hello') }),
    ]);
    expect([named.status, byAddress.status]).toEqual([202, 202]);
    expect(named.body.end_user_id).not.toBe(other.body.end_user_id);
  });

  test('a message on the sandbox is delivered immediately and is part of the conversation', async () => {
    const answer = await send({ to: crm('c-4'), content: text('hello') }, {}, sandboxId);
    expect(answer.body.status).toBe('delivered');
    const second = await send({ to: crm('c-4'), content: text('again') }, {}, sandboxId);
    expect(second.body.conversation_id).toBe(answer.body.conversation_id);
    expect(await count(`message WHERE conversation_id = '${answer.body.conversation_id}' AND role = 'agent'`)).toBe(2);
  });

  test('a scheduled message waits for its time', async () => {
    const at = new Date(Date.now() + 1_500).toISOString();
    const { body } = await send({ to: crm('c-5'), content: text('later'), send_at: at });
    expect(body.status).toBe('queued');
    await expect.poll(async () => (await read(body.id)).status).toBe('sent');
    expect(await read(body.id)).toMatchObject({ attempts: 1, send_at: at });
    const calls = receiver.calls.filter(({ headers }) => headers['webhook-id'] === body.id);
    expect(calls).toHaveLength(1);
    expect(calls[0]!.at).toBeGreaterThanOrEqual(Date.parse(at));
  });

  test('a reply refers to the answered message', async () => {
    const first = await send({ to: crm('c-6'), content: text('one') });
    const second = await send({
      to: { conversation_id: first.body.conversation_id },
      content: text('two'),
      reply_to: first.body.id,
    });
    await expect.poll(async () => (await read(second.body.id)).status).toBe('sent');
    const call = receiver.calls.find(({ headers }) => headers['webhook-id'] === second.body.id)!;
    expect(JSON.parse(call.body.toString()).reply_to).toBe(first.body.id);
  });
});

describe('idempotency', () => {
  test('many calls with one key send one message and get the first response again', async () => {
    const before = await count('message');
    const headers = { 'idempotency-key': 'send-1' };
    const first = await send({ to: crm('c-7'), content: text('once') }, headers);
    const again = await Promise.all([1, 2, 3].map(() => send({ to: crm('c-7'), content: text('once') }, headers)));
    expect(await count('message')).toBe(before + 1);
    const replays = again.filter((answer) => answer.status === 202);
    expect(replays.length).toBeGreaterThan(0);
    for (const replay of replays) {
      expect(replay.body).toEqual(first.body);
      expect(replay.headers.get('idempotent-replayed')).toBe('true');
    }
    const other = await send({ to: crm('c-7'), content: text('other') }, headers);
    expect([other.status, other.body.code]).toEqual([422, 'idempotency_mismatch']);
  });

  test('a repeated call gets its first response after the person opted out or was erased', async () => {
    const { body: made } = await send({ to: crm('c-71'), content: text('hello') });
    const calls = [
      { to: crm('c-71'), content: text('once') },
      { to: { end_user: { id: made.end_user_id } }, content: text('once') },
      { to: { conversation_id: made.conversation_id }, content: text('once'), reply_to: made.id },
    ];
    const sendAll = () => Promise.all(calls.map((body, n) => send(body, { 'idempotency-key': `late-${n}` })));
    const first = await sendAll();
    expect(first.map(({ status }) => status)).toEqual([202, 202, 202]);
    await parley.db.execute(sql`UPDATE end_user SET blocked = true WHERE id = ${made.end_user_id}`);
    const afterBlock = await sendAll();
    expect(afterBlock.map(({ status, body }) => [status, body])).toEqual(first.map(({ body }) => [202, body]));
    const other = await send({ ...calls[2], content: text('other') }, { 'idempotency-key': 'late-2' });
    expect([other.status, other.body.code]).toEqual([422, 'idempotency_mismatch']);

    const eraser = (await parley.key(orgId, { permissions: ['end_users'] })).value;
    const erased = await parley.call('DELETE', `/api/end-users/${made.end_user_id}`, { key: eraser });
    expect(erased.status).toBe(204);
    const before = await count('message');
    const afterErase = await sendAll();
    expect(afterErase.map(({ status, body }) => [status, body])).toEqual(
      first.map(({ body }) => [202, { id: body.id, erased: true }]),
    );
    expect(await count('message')).toBe(before);
  });
});

describe('422', () => {
  test.each([
    ['no target', {}, '/to'],
    ['two targets', { address: 'x', end_user: { external_id: 'x' } }, '/to'],
    ['an unknown conversation', { conversation_id: 'conv_01k8v3m9e5f7rsm6z4n0q2x1ae' }, '/to/conversation_id'],
    ['a person without identifier', { end_user: { name: 'x' } }, '/to/end_user'],
    ['an unknown person', { end_user: { id: 'enduser_01k8v3m9e5f7rsm6z4n0q2x1ae' } }, '/to/end_user/id'],
  ])('the call is refused with the fault: %s', async (_, to, pointer) => {
    const answer = await send({ to, content: text('x') });
    expect([answer.status, answer.body.code]).toEqual([422, 'validation_failed']);
    expect(answer.body.errors[0].pointer).toBe(pointer);
  });

  test('a conversation of another channel is not found on this channel', async () => {
    const other = await givenConversation(parley.db, orgId, sandboxId);
    const answer = await send({ to: { conversation_id: other.id }, content: text('x') });
    expect(answer.body.errors[0].pointer).toBe('/to/conversation_id');
  });

  test('a reply to a message of another conversation is refused and leaves nothing behind', async () => {
    const other = await givenConversation(parley.db, orgId, webhookId);
    const foreign = await givenMessage(parley.db, orgId, other.id, { content: { type: 'text', text: 'x' } });
    const before = [await count('message'), await count('end_user'), await count('conversation')];
    const answer = await send({ to: crm('c-8'), content: text('x'), reply_to: foreign });
    expect([answer.status, answer.body.errors[0].pointer]).toEqual([422, '/reply_to']);
    expect([await count('message'), await count('end_user'), await count('conversation')]).toEqual(before);
  });

  test.each([
    ['opted out', sql`consent = '{"webhook":{"status":"opted_out"}}'`],
    ['blocked', sql`blocked = true`],
  ])('a person who has %s gets no message, whichever identifier the call uses', async (_, change) => {
    const { body } = await send({ to: crm('c-9'), content: text('x') });
    await parley.db.execute(sql`UPDATE end_user SET consent = '{}', blocked = false WHERE id = ${body.end_user_id}`);
    await parley.db.execute(sql`UPDATE end_user SET ${change} WHERE id = ${body.end_user_id}`);
    const targets = [
      crm('c-9'),
      { address: 'c-9' },
      { conversation_id: body.conversation_id },
      { end_user: { id: body.end_user_id } },
    ];
    for (const to of targets) {
      const answer = await send({ to, content: text('x') });
      expect([answer.status, answer.body.code]).toEqual([422, 'recipient_opted_out']);
    }
    await parley.db.execute(sql`UPDATE end_user SET consent = '{}', blocked = false WHERE id = ${body.end_user_id}`);
  });
});

describe('access', () => {
  test('a key without the permission, a key of another agent, and a revoked key are refused', async () => {
    const body = { to: crm('c-10'), content: text('x') };
    const without = await parley.key(orgId, { permissions: ['triggers'] });
    expect((await parley.call('POST', pathOf(webhookId), { key: without.value, body })).body.code).toBe(
      'permission_missing',
    );
    const other = await givenAgent(parley.db, orgId);
    const bound = await parley.key(orgId, { scope: 'agent', agentId: other.agentId, permissions: ['channels'] });
    expect((await parley.call('POST', pathOf(webhookId), { key: bound.value, body })).body.code).toBe('agent_mismatch');
    const strange = await parley.call('POST', `/api/channels/${agentId}/${other.channelId}/messages`, { key, body });
    expect([strange.status, strange.body.code]).toEqual([404, 'channel_not_found']);
  });

  test('the fence stops a key that ended after the access check', async () => {
    const ending = await parley.key(orgId, { permissions: ['channels'] });
    const body = { to: crm('c-11'), content: text('x') };
    expect((await parley.call('POST', pathOf(webhookId), { key: ending.value, body })).status).toBe(202);
    // Without the change log: only the fence in the statement can see it.
    await parley.db.execute(sql`UPDATE api_key SET revoked_at = now() WHERE id = ${ending.id}`);
    const answer = await parley.call('POST', pathOf(webhookId), { key: ending.value, body });
    expect([answer.status, answer.body.code]).toEqual([401, 'key_revoked']);
  });
});
