import { createHash, randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../src/kernel/ids.ts';
import { signWebhook } from '../../src/kernel/standard-webhooks.ts';
import { type TestApp, startTestApp } from '../app.ts';
import { givenAgent, givenChannel, givenOrganization } from '../factories.ts';
import { type Receiver, startReceiver } from '../fakes/receiver.ts';
import { head, rawExchange } from '../raw-http.ts';

const SECRET = `whsec_${createHash('sha256').update('inbound').digest('base64')}`;

let parley: TestApp;
let receiver: Receiver;
let orgId: string;
let agentId: string;
let channelId: string;

beforeAll(async () => {
  receiver = await startReceiver();
  parley = await startTestApp({ PARLEY_EGRESS_ALLOW: '127.0.0.1' });
  orgId = await givenOrganization(parley.db);
  ({ agentId } = await givenAgent(parley.db, orgId, {
    definition: {
      opening: { default: 'Hello' },
      rules: [{ words: ['hours', 'two', 'three'], reply: { default: 'We are open all day.' } }],
    } as never,
  }));
  channelId = await givenChannel(parley.db, orgId, agentId, {
    kind: 'webhook',
    settings: { url: receiver.url },
    secrets: { secret: SECRET },
    sealingKey: parley.secrets.sealingKey,
  });
});
afterAll(async () => {
  await parley.stop();
  await receiver.stop();
});

async function post(
  body: unknown,
  options: { id?: string; secret?: string; at?: Date; tamper?: boolean; to?: string } = {},
) {
  const text = JSON.stringify(body);
  const signed = signWebhook(options.secret ?? SECRET, options.id ?? randomUUID(), options.at ?? new Date(), text);
  const answer = await fetch(`${parley.url}/inbound/webhook/${options.to ?? channelId}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...signed },
    body: options.tamper ? text.replace('{', '{ ') : text,
  });
  return { status: answer.status, body: (await answer.json()) as { code?: string; detail?: string } };
}
const message = (address: string, text: string, more = {}) => ({ type: 'message', address, text, ...more });
const rows = async (query: ReturnType<typeof sql>) => (await parley.db.execute(query)).rows;
const messagesOf = (address: string) =>
  rows(sql`SELECT m.role, m.content ->> 'text' AS text FROM message m JOIN conversation c ON c.id = m.conversation_id
    WHERE c.address = ${address} ORDER BY m.id`);
const spokenTo = (address: string) =>
  receiver.calls.map((call) => JSON.parse(call.body.toString())).filter((call) => call.address === address);

describe('a large body', () => {
  test.each([
    ['with a length', 'Content-Length: 1000000', 'x'],
    ['in chunks', 'Transfer-Encoding: chunked', '1\r\nx\r\n'],
  ])('a large body is read only for a channel that exists: %s', async (_, framing, piece) => {
    const port = Number(new URL(parley.url).port);
    const begin = (id: string) =>
      head({ method: 'POST', path: `/inbound/webhook/${id}`, headers: ['Host: a', framing], bare: true });
    // The rest of the body never arrives.
    const { answers } = await rawExchange(port, [begin(newId('channel')) + piece]);
    expect(answers.map(({ status }) => status)).toEqual([404]);
    expect((await post(message('in-large', '水'.repeat(30_000)))).status).toBe(200);
  });
});

describe('an inbound message', () => {
  test('an inbound message creates person and conversation, and the agent answers on the same channel', async () => {
    const answer = await post(message('in-1', 'What are your hours?', { person: { name: 'Asha', locale: 'en' } }));
    expect(answer).toEqual({ status: 200, body: {} });
    await expect.poll(() => spokenTo('in-1').length).toBe(1);
    expect(spokenTo('in-1')[0]).toMatchObject({ role: 'agent', end_user: { name: 'Asha', external_id: 'in-1' } });
    const people = await rows(
      sql`SELECT external_id, name, last_seen_at IS NOT NULL AS seen FROM end_user WHERE external_id = 'in-1'`,
    );
    expect(people).toEqual([{ external_id: 'in-1', name: 'Asha', seen: true }]);
  });

  test('a message from a person with a known e-mail belongs to them, in any spelling of the address', async () => {
    const { id } = (
      await parley.call('POST', '/api/end-users', {
        key: (await parley.key(orgId, { permissions: ['end_users'] })).value,
        body: { email: 'noor@example.qa' },
      })
    ).body;
    await post({ type: 'message', address: 'in-mail', text: 'hours', person: { email: 'Noor@Example.QA' } });
    const [known] = await rows(sql`SELECT end_user_id FROM conversation WHERE address = 'in-mail'`);
    expect(known).toEqual({ end_user_id: id });
  });

  test('a repeated message is stored once, even if it arrives simultaneously', async () => {
    const id = randomUUID();
    const answers = await Promise.all([1, 2, 3, 4].map(() => post(message('in-2', 'hours'), { id })));
    await post(message('in-2', 'hours'), { id });
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect((await messagesOf('in-2')).filter(({ role }) => role === 'end_user')).toHaveLength(1);
  });

  test('a message continues the same conversation, even if first messages arrive together', async () => {
    await Promise.all(['one', 'two', 'three'].map((text) => post(message('in-3', text))));
    const conversations = await rows(sql`SELECT id FROM conversation WHERE address = 'in-3'`);
    expect(conversations).toHaveLength(1);
    await post({ type: 'message', conversation_id: conversations[0]!['id'], text: 'four' });
    expect((await messagesOf('in-3')).filter(({ role }) => role === 'end_user')).toHaveLength(4);
  });

  test('a message belongs to the person whose external ID is its address', async () => {
    await parley.db.execute(
      sql`INSERT INTO end_user (org_id, id, external_id) VALUES (${orgId}, 'enduser_known', 'in-4')`,
    );
    await post(message('in-4', 'hours'));
    const found = await rows(sql`SELECT end_user_id FROM conversation WHERE address = 'in-4'`);
    expect(found).toEqual([{ end_user_id: 'enduser_known' }]);
  });

  test('a message stays unanswered while a member has taken over, and is answered after the hand-back', async () => {
    await post(message('in-5', 'hours'));
    await expect.poll(() => spokenTo('in-5').length).toBe(1);
    await parley.db.execute(
      sql`UPDATE conversation SET status = 'handed_off', version = version + 1 WHERE address = 'in-5'`,
    );
    await post(message('in-5', 'hours'));
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(spokenTo('in-5')).toHaveLength(1);
    expect(await messagesOf('in-5')).toHaveLength(3);
    await parley.db.execute(sql`UPDATE conversation SET status = 'open', version = version + 1 WHERE address = 'in-5'`);
    await post(message('in-5', 'hours'));
    await expect.poll(() => spokenTo('in-5').length).toBe(2);
  });

  test('characters that the database cannot store are removed from a message or replaced', async () => {
    const text = 'a\u0000b \uD800 c';
    expect((await post(message('in-6', text))).status).toBe(200);
    expect((await messagesOf('in-6'))[0]!['text']).toBe('ab \uFFFD c');
  });
});

describe('401', () => {
  test.each([
    ['of another secret', { secret: `whsec_${Buffer.alloc(32).toString('base64')}` }],
    ['over other bytes', { tamper: true }],
    ['older than five minutes', { at: new Date(Date.now() - 360_000) }],
    ['from the future', { at: new Date(Date.now() + 360_000) }],
  ])('a signature %s is refused, and nothing is stored', async (_, options) => {
    const answer = await post(message('in-x', 'hours'), options);
    expect([answer.status, answer.body.code]).toEqual([401, 'signature_invalid']);
    expect(await messagesOf('in-x')).toEqual([]);
  });
});

describe('refused', () => {
  test.each([
    ['a body that is neither message nor receipt', { type: 'something' }, '"message" or "receipt"'],
    [
      'two senders',
      { type: 'message', address: 'a', conversation_id: 'conv_01k8v3m9e5f7rsm6z4n0q2x1ae', text: 'x' },
      'exactly one',
    ],
    ['no text', { type: 'message', address: 'a', text: '' }, '/text must not'],
    [
      'a number without +',
      { type: 'message', address: 'a', text: 'x', person: { phone: '974' } },
      '/person/phone must',
    ],
    ['an unknown field', { type: 'message', address: 'a', text: 'x', from: 'b' }, '/from is not known'],
    ['an unknown state', { type: 'receipt', message_id: 'msg_01k8v3m9e5f7rsm6z4n0q2x1ae', status: 'eaten' }, '/status'],
  ])('a call with %s gets 400 with the location of the fault', async (_, body, detail) => {
    const answer = await post(body);
    expect([answer.status, answer.body.code]).toEqual([400, 'body_invalid']);
    expect(answer.body.detail).toContain(detail);
  });

  test.each(['channel_01k8v3m9e5f7rsm6z4n0q2x1ae', 'nonsense', '%00'])(
    'an unknown channel (%s) returns 404',
    async (to) => {
      expect((await post(message('a', 'x'), { to })).status).toBe(404);
    },
  );

  test('a channel of another kind returns 404', async () => {
    const other = await givenChannel(parley.db, orgId, agentId, { kind: 'sandbox' });
    expect((await post(message('a', 'x'), { to: other })).status).toBe(404);
  });

  test('a disabled channel returns 409', async () => {
    await parley.db.execute(sql`UPDATE channel SET enabled = false WHERE id = ${channelId}`);
    expect((await post(message('a', 'x'))).status).toBe(409);
    await parley.db.execute(sql`UPDATE channel SET enabled = true WHERE id = ${channelId}`);
  });

  test('a body of more than a mebibyte returns 413', async () => {
    expect((await post(message('a', 'x'.repeat(1_100_000)))).status).toBe(413);
  });
});

describe('a receipt', () => {
  test('a receipt moves the status of a message forward, and never back', async () => {
    await post(message('in-7', 'hours'));
    await expect.poll(() => spokenTo('in-7').length).toBe(1);
    const id = spokenTo('in-7')[0].message_id as string;
    const status = async () => (await rows(sql`SELECT status FROM message WHERE id = ${id}`))[0]!['status'];
    await post({ type: 'receipt', message_id: id, status: 'read' });
    await expect.poll(status).toBe('read');
    await post({ type: 'receipt', message_id: id, status: 'delivered' });
    expect(await status()).toBe('read');
  });
});
