import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  handBackConversation,
  resolveConversation,
  takeOverConversation,
} from '../../src/features/conversations/hand-over.ts';
import { replyInConversation } from '../../src/features/conversations/reply-in-conversation.ts';
import { readConversation } from '../../src/features/conversations/read-conversations.ts';
import { type TestApp, startTestApp } from '../app.ts';
import { burstsOf } from '../bursts.ts';
import { givenAgent, givenChannel, givenMember, givenOrganization, givenTrigger } from '../factories.ts';
import type { FakeProvider, Hook } from '../fakes/provider.ts';
import { startSlack } from '../fakes/slack.ts';
import { startTelegram } from '../fakes/telegram.ts';
import { startTwilio } from '../fakes/twilio.ts';
import { startWhatsApp } from '../fakes/whatsapp.ts';

/** Every kind of channel with a provider, against a fake with the provider's own wire format. */
const PROVIDERS: [string, () => Promise<FakeProvider>][] = [
  ['telegram', startTelegram],
  ['whatsapp', startWhatsApp],
  ['sms', startTwilio],
  ['slack', startSlack],
];

let parley: TestApp;
beforeAll(async () => {
  parley = await startTestApp({ PARLEY_EGRESS_ALLOW: '127.0.0.1' });
});
afterAll(() => parley.stop());

const rows = async (query: ReturnType<typeof sql>) => (await parley.db.execute(query)).rows;

describe.each(PROVIDERS)('%s', (_name, start) => {
  let provider: FakeProvider;
  let orgId: string;
  let agentId: string;
  let channelId: string;
  let key: string;

  const hookUrl = () => `${parley.config.baseUrl}/inbound/${provider.kind}/${channelId}`;
  const call = async (hook: Hook) => {
    const { method, query = '', headers, body } = hook;
    const answer = await fetch(`${parley.url}/inbound/${provider.kind}/${channelId}${query}`, {
      method,
      headers,
      ...(method === 'POST' && { body }),
    });
    return { status: answer.status, text: await answer.text() };
  };
  const says = (text: string, options = {}) => call(provider.says(text, { url: hookUrl(), ...options }));
  const path = () => `/api/channels/${agentId}/${channelId}/messages`;
  const send = (text: string, more = {}) =>
    parley.call('POST', path(), {
      key,
      body: { to: { address: provider.person }, content: { type: 'text', text }, ...more },
    });
  const read = async (id: string) => (await parley.call('GET', `${path()}/${id}`, { key })).body;
  const settled = (id: string, status: string, timeout = 15_000) =>
    expect.poll(async () => (await read(id)).status, { timeout }).toBe(status);
  beforeAll(async () => {
    provider = await start();
  });
  afterAll(() => provider.stop());
  beforeEach(async () => {
    orgId = await givenOrganization(parley.db);
    ({ agentId } = await givenAgent(parley.db, orgId));
    const { kind, settings, secrets } = provider;
    const { sealingKey } = parley.secrets;
    channelId = await givenChannel(parley.db, orgId, agentId, { kind, settings, secrets, sealingKey });
    key = (await parley.key(orgId, { permissions: ['channels'] })).value;
    provider.delivered.length = 0;
    // If the provider has a reply window, it is open.
    await parley.db.execute(sql`INSERT INTO end_user (org_id, id) VALUES (${orgId}, ${`enduser_${orgId}`})`);
    await parley.db.execute(sql`INSERT INTO identity (org_id, channel_id, address, end_user_id, last_inbound_at)
      VALUES (${orgId}, ${channelId}, ${provider.person}, ${`enduser_${orgId}`}, now())`);
  });

  test('a file of the person is stored with its caption, even if the provider fails at first', async () => {
    const jpeg = Buffer.concat([Buffer.from('\xff\xd8\xff', 'latin1'), Buffer.alloc(50_000, 5)]);
    const content = async () =>
      (await rows(sql`SELECT content FROM message WHERE role = 'end_user'
      AND org_id = ${orgId} ORDER BY id`)) as { content: { type: string; url: string; text?: string } }[];
    const hurry = () =>
      parley.db.execute(sql`UPDATE attachment SET due_at = now() WHERE due_at > now() AND lease IS NULL`);
    const answers = [{ status: 503 }, 'reset' as const];
    expect((await call(provider.sends(jpeg, { caption: 'My broken cup', answers, url: hookUrl() }))).status).toBe(200);
    expect((await content())[0]!.content).toEqual({ type: 'text', text: 'My broken cup' });
    await expect
      .poll(async () => (await hurry(), (await content())[0]!.content), { timeout: 20_000 })
      .toMatchObject({ type: 'image', text: 'My broken cup' });
    const { url } = (await content())[0]!.content;
    const got = await fetch(parley.url + new URL(url).pathname);
    expect(got.headers.get('content-type')).toBe('image/jpeg');
    expect(Buffer.from(await got.arrayBuffer()).equals(jpeg)).toBe(true);
    expect(await rows(sql`SELECT due_at, lease, source FROM attachment WHERE org_id = ${orgId}`)).toEqual([
      { due_at: null, lease: null, source: null },
    ]);
  });

  test('a message stays unchanged if the provider refuses its file', async () => {
    const logged = sql`SELECT due_at, lease FROM attachment WHERE org_id = ${orgId} AND attempts = 1`;
    expect((await call(provider.sends(Buffer.from('x'), { answers: [{ status: 404 }], url: hookUrl() }))).status).toBe(
      200,
    );
    await expect.poll(() => rows(logged), { timeout: 15_000 }).toEqual([{ due_at: null, lease: null }]);
    const [stored] = await rows(
      sql`SELECT content ->> 'text' AS text FROM message WHERE org_id = ${orgId} AND role = 'end_user'`,
    );
    expect(stored!['text']).toMatch(/^\[(photo|image|file|media)\]$/);
    await call(provider.sends(Buffer.from('GIF89a'), { url: hookUrl() }));
    const shown = sql`SELECT content FROM message WHERE org_id = ${orgId} AND content ->> 'type' = 'image'`;
    await expect
      .poll(() => rows(shown), { timeout: 15_000 })
      .toEqual([{ content: { type: 'image', url: expect.any(String) } }]);
  });

  test('a message is delivered to the person, and the provider’s ID is stored', async () => {
    const { status, body } = await send('Your order <A> & more');
    expect(status).toBe(202);
    await settled(body.id, 'sent');
    // The agent may still answer the file of the test above.
    const delivered = provider.delivered.filter(({ text }) => text.startsWith('Your order'));
    expect(delivered).toHaveLength(1);
    expect(delivered[0]!.to).toBe(provider.person);
    expect(delivered[0]!.text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')).toBe(
      'Your order <A> & more',
    );
    expect(await read(body.id)).toMatchObject({
      provider_message_id: delivered[0]!.id,
      attempts: 1,
      possible_duplicate: false,
    });
  });

  test('the agent answers a message of the person once, on the same channel', async () => {
    await parley.db.execute(sql`DELETE FROM identity WHERE channel_id = ${channelId}`);
    const hook = provider.says('hello?', { url: hookUrl() });
    const answers = await Promise.all([call(hook), call(hook), call(hook)]);
    await call(hook);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    await expect.poll(() => provider.delivered.length).toBe(1);
    expect(provider.delivered[0]!.to).toBe(provider.person);
    const stored = await rows(sql`SELECT m.id FROM message m WHERE m.org_id = ${orgId} AND role = 'end_user'`);
    expect(stored).toHaveLength(1);
  });

  test('first messages that arrive together belong to one person and one conversation, and get one answer', async () => {
    await parley.db.execute(sql`DELETE FROM identity WHERE channel_id = ${channelId}`);
    await Promise.all(['one', 'two', 'three', 'four'].map((text) => says(text)));
    expect(await rows(sql`SELECT id FROM conversation WHERE org_id = ${orgId}`)).toHaveLength(1);
    expect(await rows(sql`SELECT DISTINCT end_user_id FROM identity WHERE channel_id = ${channelId}`)).toHaveLength(1);
    const heard = await rows(sql`SELECT id FROM message WHERE org_id = ${orgId} AND role = 'end_user' ORDER BY id`);
    expect(heard).toHaveLength(4);
    const waiting = () => rows(sql`SELECT id FROM run WHERE org_id = ${orgId} AND due_at IS NOT NULL`);
    await expect.poll(waiting).toEqual([]);
    const answers = await rows(sql`SELECT id FROM message WHERE org_id = ${orgId} AND role = 'agent'`);
    expect(answers.length).toBeGreaterThan(0);
    expect(answers.length).toBeLessThanOrEqual(burstsOf(heard.map(({ id }) => String(id))));
    await expect.poll(() => provider.delivered.length).toBe(answers.length);
  });

  test('a person who opts out gets one confirmation and no further message', async () => {
    const done = async (count: number) => {
      const left = () => rows(sql`SELECT id FROM run WHERE org_id = ${orgId} AND due_at IS NOT NULL`);
      await expect.poll(left).toEqual([]);
      const dueMessages = () => rows(sql`SELECT id FROM message WHERE org_id = ${orgId} AND due_at IS NOT NULL`);
      await expect.poll(dueMessages).toEqual([]);
      expect(provider.delivered).toHaveLength(count);
    };
    await says('STOP');
    await done(1);
    expect(provider.delivered[0]!.to).toBe(provider.person);
    await says('Are you there?');
    await done(1);
    expect((await send('Our offer')).body.code).toBe('recipient_opted_out');
  });

  test('a webhook call without the provider’s signature is refused, and nothing is stored', async () => {
    const hook = provider.says('hello?', { url: hookUrl() });
    const signature = Object.keys(hook.headers).find((name) => name !== 'content-type' && !name.includes('timestamp'))!;
    for (const headers of [
      { ...hook.headers, [signature]: 'forged' },
      { 'content-type': hook.headers['content-type']! },
    ]) {
      expect((await call({ ...hook, headers })).status).toBe(401);
    }
    // Telegram sends a shared secret in a header instead of a signature, so it does not protect the bytes.
    const isOverBytes = provider.kind !== 'telegram';
    expect(
      (await call({ ...hook, headers: isOverBytes ? hook.headers : {}, body: hook.body.replace('hello', 'hullo') }))
        .status,
    ).toBe(401);
    expect(await rows(sql`SELECT id FROM message WHERE org_id = ${orgId}`)).toHaveLength(0);
  });

  test('a message waits after 429 as long as the provider requires', async () => {
    provider.fail({
      status: 429,
      code: provider.kind === 'slack' ? 'ratelimited' : provider.kind === 'sms' ? 20429 : 130429,
      retryAfter: 2,
    });
    const before = Date.now();
    const { body } = await send('hello');
    await settled(body.id, 'sent');
    expect(Date.now() - before).toBeGreaterThan(1_900);
    expect(await read(body.id)).toMatchObject({ attempts: 2, possible_duplicate: false, error: null });
  });

  test('a message is sent again if the provider is down', async () => {
    provider.fail({ status: 503 }, { status: 500 });
    const { body } = await send('hello');
    await settled(body.id, 'sent', 25_000);
    expect(await read(body.id)).toMatchObject({ attempts: 3 });
    expect(provider.delivered).toHaveLength(1);
  });

  test('a permanent refusal fails the message with the provider’s code', async () => {
    const before = provider.attempts();
    provider.fail({ status: 400, code: provider.kind === 'slack' ? 'msg_too_long' : 21_999, text: 'Bad Request' });
    const { body } = await send('hello');
    await settled(body.id, 'failed');
    expect((await read(body.id)).error).toMatchObject({ code: 'provider_refused', provider_code: expect.any(String) });
    expect(provider.attempts()).toBe(before + 1);
  });

  test('a message whose response is lost is neither sent again nor reported as failed', async () => {
    const before = provider.attempts();
    provider.fail('reset_after_delivering');
    const { body } = await send('hello');
    await settled(body.id, 'undelivered');
    expect((await read(body.id)).error).toMatchObject({ code: 'outcome_unknown' });
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect([provider.attempts(), provider.delivered.length]).toEqual([before + 1, 1]);
  });

  test('refused credentials mark the channel as broken, with the reason', async () => {
    const { kind, settings, secrets } = provider;
    const broken = Object.fromEntries(
      Object.entries(secrets).map(([name, value]) => [name, value.replaceAll(/[a-z]/gi, 'c')]),
    );
    const { sealingKey } = parley.secrets;
    channelId = await givenChannel(parley.db, orgId, agentId, { kind, settings, secrets: broken, sealingKey });
    await parley.db.execute(sql`INSERT INTO identity (org_id, channel_id, address, end_user_id, last_inbound_at)
      VALUES (${orgId}, ${channelId}, ${provider.person}, ${`enduser_${orgId}`}, now())`);
    const { body } = await send('hello');
    await settled(body.id, 'failed');
    expect((await read(body.id)).error).toMatchObject({ code: 'channel_unauthorized' });
    const list = async () => (await parley.call('GET', `/api/channels/${agentId}`, { key })).body.data;
    const mine = async () => (await list()).find((one: { id: string }) => one.id === channelId);
    await expect
      .poll(mine)
      .toMatchObject({ status: 'broken', status_detail: expect.stringMatching(/401|auth|token/i) });
    expect(JSON.stringify(await list())).not.toContain(Object.values(broken)[0]);
  });

  test('a read message stays read, whatever receipts arrive later', async () => {
    const { body } = await send('hello');
    await settled(body.id, 'sent');
    const id = provider.delivered[0]!.id;
    const read1 = provider.reports(id, 'read', hookUrl());
    if (read1 === null) return;
    await call(read1);
    await settled(body.id, 'read');
    for (const status of ['delivered', 'failed', 'delivered'] as const)
      await call(provider.reports(id, status, hookUrl())!);
    expect((await read(body.id)).status).toBe('read');
    const second = (await send('again')).body;
    await settled(second.id, 'sent');
    await call(provider.reports(provider.delivered[1]!.id, 'failed', hookUrl())!);
    await settled(second.id, 'failed');
    expect((await read(second.id)).error).toMatchObject({ code: 'recipient_unreachable' });
  });

  test('an address of another kind fails the message', async () => {
    const answer = await parley.call('POST', path(), {
      key,
      body: { to: { address: 'nobody' }, content: { type: 'text', text: 'x' } },
    });
    expect([answer.status, answer.body.errors[0].pointer]).toEqual([422, '/to/address']);
  });

  test('a person without an address on the channel is refused', async () => {
    const body = { to: { end_user: { external_id: 'crm-1' } }, content: { type: 'text', text: 'x' } };
    const answer = await parley.call('POST', path(), { key, body });
    expect([answer.status, answer.body.code]).toEqual([422, 'no_address']);
  });

  test('content that the channel does not support is refused', async () => {
    const content =
      provider.kind === 'whatsapp' ? { type: 'text', text: 'x'.repeat(5_000) } : { type: 'template', name: 'x' };
    const answer = await send('', { content });
    expect([answer.status, answer.body.code]).toEqual([422, 'content_unsupported']);
    if (provider.kind !== 'whatsapp') return;
    const choices = Array.from({ length: 11 }, (_one, n) => ({ id: `c${n}`, label: `Choice ${n}` }));
    const many = await send('', { content: { type: 'choices', text: 'Which?', choices } });
    expect([many.status, many.body.code]).toEqual([422, 'content_unsupported']);
  });
});

test('a text that is too long for one SMS is sent as several, in order', async () => {
  const provider = await startTwilio();
  const orgId = await givenOrganization(parley.db);
  const words = Array.from({ length: 400 }, (_, index) => `word${index}`).join(' ');
  const { agentId } = await givenAgent(parley.db, orgId, { definition: { opening: { default: words } } });
  const { kind, settings, secrets } = provider;
  const { sealingKey } = parley.secrets;
  const channelId = await givenChannel(parley.db, orgId, agentId, { kind, settings, secrets, sealingKey });
  const triggerId = await givenTrigger(parley.db, orgId, agentId, { channelId });
  const { value: key } = await parley.key(orgId, { permissions: ['triggers'] });
  const call = { end_user: { phone: provider.person } };
  await parley.call('POST', `/api/triggers/${agentId}/${triggerId}`, { key, body: call });
  await expect.poll(() => provider.delivered.length).toBe(2);
  expect(provider.delivered.map(({ text }) => text).join(' ')).toBe(words);
  await provider.stop();
});

test('only templates are accepted outside WhatsApp’s 24 hours, until the person writes again', async () => {
  const provider = await startWhatsApp();
  const orgId = await givenOrganization(parley.db);
  const { agentId } = await givenAgent(parley.db, orgId);
  const { kind, settings, secrets } = provider;
  const { sealingKey } = parley.secrets;
  const channelId = await givenChannel(parley.db, orgId, agentId, { kind, settings, secrets, sealingKey });
  const { value: key } = await parley.key(orgId, { permissions: ['channels'] });
  const send = async (content: unknown) => {
    const body = { to: { end_user: { phone: provider.person } }, content };
    return parley.call('POST', `/api/channels/${agentId}/${channelId}/messages`, { key, body });
  };
  const words = { type: 'text', text: 'hello' };
  expect((await send(words)).body.code).toBe('session_window_closed');
  expect((await send({ type: 'template', name: 'hello_world' })).status).toBe(202);
  const { headers, body } = provider.says('hi');
  await fetch(`${parley.url}/inbound/whatsapp/${channelId}`, { method: 'POST', headers, body });
  expect((await send(words)).status).toBe(202);
  await parley.db.execute(
    sql`UPDATE identity SET last_inbound_at = now() - interval '24 hours 1 second' WHERE channel_id = ${channelId}`,
  );
  expect((await send(words)).body.code).toBe('session_window_closed');
  await provider.stop();
});

test('the agent is silent after a take-over, and answers again after the hand-back', async () => {
  const provider = await startWhatsApp();
  const orgId = await givenOrganization(parley.db);
  const { agentId } = await givenAgent(parley.db, orgId);
  const { kind, settings, secrets } = provider;
  const { sealingKey } = parley.secrets;
  const channelId = await givenChannel(parley.db, orgId, agentId, { kind, settings, secrets, sealingKey });
  const says = async (text: string) => {
    const { headers, body } = provider.says(text);
    const answer = await fetch(`${parley.url}/inbound/whatsapp/${channelId}`, { method: 'POST', headers, body });
    expect(answer.status).toBe(200);
  };
  const actor = { userId: 'user_member', address: null, requestId: null };
  await givenMember(parley.db, orgId, actor.userId);
  const texts = () => provider.delivered.map(({ text }) => text);
  const told = (count: number) => expect.poll(texts).toHaveLength(count);
  await says('Hello?');
  await told(1);
  const [talk] = (await parley.db.execute<{ id: string }>(sql`SELECT id FROM conversation WHERE org_id = ${orgId}`))
    .rows;
  const state = async () => {
    const { status, runs } = await readConversation(parley, orgId, talk!.id);
    return [status, ...runs.map((run) => run.status)];
  };

  await takeOverConversation(parley, orgId, talk!.id, actor);
  await parley.db.execute(
    sql`UPDATE conversation SET snoozed_until = now() + interval '1 hour' WHERE id = ${talk!.id}`,
  );
  expect((await readConversation(parley, orgId, talk!.id)).snoozed_until).not.toBeNull();
  await says('Is there a person?');
  expect(await state()).toEqual(['handed_off', 'handed_off']);
  expect((await readConversation(parley, orgId, talk!.id)).snoozed_until).toBeNull();
  await replyInConversation({ db: parley.db }, orgId, talk!.id, { text: 'A person here.' }, actor);
  await told(2);
  expect(texts()[1]).toBe('A person here.');
  expect(await state()).toEqual(['handed_off', 'handed_off']);

  await handBackConversation(parley, orgId, talk!.id, actor);
  await says('And now?');
  await told(3);
  expect(await state()).toEqual(['open', 'waiting_for_user']);

  // After a conversation has ended, the next message starts a new run.
  await resolveConversation(parley, orgId, talk!.id, actor);
  await says('One more thing');
  await told(4);
  expect(await state()).toEqual(['open', 'waiting_for_user', 'completed']);
  const heard = await rows(
    sql`SELECT content ->> 'text' AS text FROM message WHERE org_id = ${orgId} AND role = 'end_user'`,
  );
  expect(heard).toHaveLength(4);
  await provider.stop();
});
