import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHANNEL_KINDS } from '../../contract/channel-kinds.ts';
import { type TestApp, startTestApp } from '../app.ts';
import { givenAgent } from '../factories.ts';
import type { FakeProvider } from '../fakes/provider.ts';
import { startReceiver } from '../fakes/receiver.ts';
import { startSlack } from '../fakes/slack.ts';
import { startSmtp } from '../fakes/smtp.ts';
import { startTelegram } from '../fakes/telegram.ts';
import { startTwilio } from '../fakes/twilio.ts';
import { startWhatsApp } from '../fakes/whatsapp.ts';
import { givenOwner, type Owner } from '../owner.ts';

/**
 * Connecting, checking, repairing and disconnecting every kind of channel, with the calls of the dashboard and the
 * command line.
 */
let parley: TestApp;
let owner: Owner;
let agentId: string;
beforeAll(async () => {
  parley = await startTestApp({ PARLEY_EGRESS_ALLOW: '127.0.0.1' });
  owner = await givenOwner(parley);
  ({ agentId } = await givenAgent(parley.db, owner.orgId));
});
afterAll(() => parley.stop());

const connect = (kind: string, settings: object) =>
  owner.call('POST /channels', { agent_id: agentId, kind, name: `My ${kind}`, settings });
const channels = async () => (await owner.call('GET /channels?limit=100')).body.data.length;
const stored = async (id: string) =>
  JSON.stringify((await parley.db.execute(sql`SELECT * FROM channel WHERE id = ${id}`)).rows[0]);

type Given = { provider: FakeProvider; filled: Record<string, unknown> };
type Wrong = [what: string, change: Record<string, unknown>, setting: string, sentence: RegExp];

const KINDS: [string, () => Promise<FakeProvider>, string[], Wrong[]][] = [
  [
    'telegram',
    startTelegram,
    ['bot_token'],
    [
      [
        'a token that was withdrawn',
        { bot_token: `123456789:${'A'.repeat(35)}` },
        'bot_token',
        /Telegram refuses.*401/,
      ],
      ['a server that is not there', { api_url: 'http://127.0.0.1:8' }, 'api_url', /could not be reached|not be/],
    ],
  ],
  [
    'whatsapp',
    startWhatsApp,
    ['access_token', 'app_secret'],
    [
      ['a wrong access token', { access_token: 'EAA'.repeat(10) }, 'access_token', /access token/],
      ['the id of another account’s number', { phone_number_id: '999999999' }, 'phone_number_id', /phone number id/],
      ['the secret of another app', { app_secret: 'f'.repeat(32) }, 'app_secret', /app secret does not belong/],
    ],
  ],
  [
    'sms',
    startTwilio,
    ['auth_token'],
    [
      ['a wrong token', { auth_token: 'c'.repeat(32) }, 'auth_token', /Twilio refuses.*401/],
      ['a number of another account', { from: '+15005550099' }, 'from', /no number \+15005550099/],
    ],
  ],
  [
    'slack',
    startSlack,
    ['bot_token', 'signing_secret'],
    [['a wrong token', { bot_token: 'xoxb-another-token-0' }, 'bot_token', /invalid_auth/]],
  ],
];

describe.each(KINDS)('%s', (kind, start, secretNames, wrongs) => {
  const given = {} as Given;
  beforeAll(async () => {
    given.provider = await start();
    const { settings, secrets } = given.provider;
    const chosen = Object.entries(secrets).filter(([name]) => secretNames.includes(name));
    given.filled = { ...settings, ...Object.fromEntries(chosen) };
  });
  afterAll(() => given.provider.stop());

  test('a channel is connected when its provider accepts it; no response and no row shows its secrets', async () => {
    const { status, body } = await connect(kind, given.filled);
    expect([status, body.status]).toEqual([201, 'connected']);
    expect(body.inbound_url).toBe(`${parley.config.baseUrl}/inbound/${kind}/${body.id}`);
    expect(Object.values(body.account).join()).toMatch(/parley_bot|Example/);
    expect(body.verify_token === undefined).toBe(kind !== 'whatsapp');
    const { body: shown } = await owner.call(`GET /channels/${body.id}`);
    const { body: listed } = await owner.call('GET /channels?limit=100');
    const audit = await owner.call('GET /audit?limit=100');
    for (const place of [JSON.stringify([shown, listed, audit.body]), await stored(body.id)]) {
      for (const name of secretNames) expect(place).not.toContain(String(given.filled[name]));
    }
    expect(shown).not.toHaveProperty('verify_token');
    expect(shown.received).toBe(false);
  });

  test.each(wrongs)(
    'a channel with %s is refused with an explanation, and nothing is stored',
    async (_, change, setting, sentence) => {
      const before = await channels();
      const { status, body } = await connect(kind, { ...given.filled, ...change });
      expect([status, body.code]).toEqual([422, 'channel_check_failed']);
      expect(body.detail).toMatch(sentence);
      expect(body.errors).toMatchObject([{ pointer: `/settings/${setting}`, detail: body.detail }]);
      for (const name of secretNames) expect(JSON.stringify(body)).not.toContain(String(given.filled[name]));
      expect(await channels()).toBe(before);
    },
  );

  test('a channel is broken after its credentials are refused, and works again with new ones', async () => {
    const { body } = await connect(kind, given.filled);
    // The provider revokes the credentials, which has the same effect as storing wrong ones.
    const secret = secretNames[0]!;
    const lost = wrongs[0]![1][secret] ?? `x${String(given.filled[secret])}`;
    const other = await owner.call(`PATCH /channels/${body.id}`, {
      settings: { ...given.provider.settings, [secret]: lost },
    });
    expect([other.status, other.body.code]).toEqual([422, 'channel_check_failed']);
    expect((await owner.call(`POST /channels/${body.id}/check`)).body).toMatchObject({ ok: true, asked: true });
    await parley.db.execute(
      sql`UPDATE channel SET status = 'broken', status_detail = 'It was refused.' WHERE id = ${body.id}`,
    );
    expect((await owner.call(`GET /channels/${body.id}`)).body).toMatchObject({ status: 'broken' });
    const mended = await owner.call(`PATCH /channels/${body.id}`, { settings: given.provider.settings });
    expect(mended.body).toMatchObject({ status: 'connected', status_detail: null });
    // Absent secrets are still stored.
    expect((await owner.call(`POST /channels/${body.id}/check`)).body).toMatchObject({ ok: true });
  });

  test('a channel sends a test message, reports its outcome, and shows that a message has arrived', async () => {
    const { body } = await connect(kind, given.filled);
    if (kind === 'whatsapp') given.provider.secrets['verify_token'] = body.verify_token;
    const { method, headers, body: bytes } = given.provider.says('hi', { url: body.inbound_url });
    const hook = await fetch(`${parley.url}/inbound/${kind}/${body.id}`, { method, headers, body: bytes });
    expect(hook.status).toBe(200);
    expect((await owner.call(`GET /channels/${body.id}`)).body.received).toBe(true);
    const content = { type: 'text', text: 'A test' };
    const sent = await owner.call(`POST /channels/${body.id}/test`, { address: given.provider.person, content });
    expect(sent.status).toBe(202);
    const read = async () => (await owner.call(`GET /channels/${body.id}/test/${sent.body.id}`)).body.status;
    await expect.poll(read).toBe('sent');
    expect(given.provider.delivered.map(({ text }) => text)).toContain('A test');
  });

  test('disconnecting a channel erases its credentials, and its webhook is refused', async () => {
    const { body } = await connect(kind, given.filled);
    expect((await owner.call(`DELETE /channels/${body.id}`)).status).toBe(204);
    expect(JSON.parse(await stored(body.id)).sealed).toBeNull();
    const { method, headers, body: bytes } = given.provider.says('hi', { url: body.inbound_url });
    const hook = await fetch(`${parley.url}/inbound/${kind}/${body.id}`, { method, headers, body: bytes });
    expect(hook.status).toBe(404);
  });
});

test('a bot gets a webhook address, and only the channel with that address can remove it', async () => {
  const bot = await startTelegram();
  const filled = { ...bot.settings, bot_token: bot.secrets['bot_token'] };
  const first = (await connect('telegram', filled)).body;
  expect(bot.hookUrl()).toBe(first.inbound_url);
  const second = (await connect('telegram', filled)).body;
  await owner.call(`DELETE /channels/${first.id}`);
  expect(bot.hookUrl()).toBe(second.inbound_url);
  await owner.call(`DELETE /channels/${second.id}`);
  expect(bot.hookUrl()).toBe('');
  await bot.stop();
});

describe('email', () => {
  test('the check of an e-mail channel distinguishes a wrong password from a wrong server', async () => {
    const smtp = await startSmtp();
    const filled = {
      host: '127.0.0.1',
      port: smtp.port,
      security: 'none',
      username: smtp.user,
      password: smtp.password,
      from: smtp.user,
    };
    const { status, body } = await connect('email', filled);
    expect([status, body.secret]).toEqual([201, expect.stringMatching(/^whsec_/)]);
    expect(body.inbound_url).toContain('/inbound/email/');
    const wrong = await connect('email', { ...filled, password: 'wrong' });
    expect(wrong.body.errors).toMatchObject([{ pointer: '/settings/password', code: 'channel_unauthorized' }]);
    const nobody = await connect('email', { ...filled, port: 8 });
    expect(nobody.body.errors).toMatchObject([{ pointer: '/settings/host', code: 'provider_unreachable' }]);
    await smtp.stop();
  });
});

describe('webhook', () => {
  test('a channel gets a new secret after the old one was lost, and the old one stops working immediately', async () => {
    const { body } = await connect('webhook', { url: 'https://hooks.example/parley' });
    const renewed = await owner.call(`PATCH /channels/${body.id}`, { new_secret: true });
    expect(renewed.body.secret).toMatch(/^whsec_/);
    expect(renewed.body.secret).not.toBe(body.secret);
    expect(renewed.body.settings).toEqual({ url: 'https://hooks.example/parley' });
    const renamed = await owner.call(`PATCH /channels/${body.id}`, { name: 'Other' });
    expect(renamed.body).not.toHaveProperty('secret');
  });
});

test('a broken channel without a provider check stays broken until a message is delivered', async () => {
  const endpoint = await startReceiver(() => ({ status: 401 }));
  const { body } = await connect('webhook', { url: endpoint.url });
  const send = async () => {
    const sent = await owner.call(`POST /channels/${body.id}/test`, {
      address: 'crm-1',
      content: { type: 'text', text: 'hello' },
    });
    return async () => (await owner.call(`GET /channels/${body.id}/test/${sent.body.id}`)).body.status;
  };
  const check = async () => (await owner.call(`POST /channels/${body.id}/check`)).body;
  expect(await check()).toEqual({ ok: true, code: null, detail: null, asked: false });
  await expect.poll(await send()).toBe('failed');
  const broken = { ok: false, code: 'channel_broken', detail: expect.stringContaining('401'), asked: false };
  await expect.poll(check).toEqual(broken);
  endpoint.answer = () => ({});
  await expect.poll(await send()).toBe('sent');
  await expect.poll(async () => (await check()).ok).toBe(true);
  await endpoint.stop();
});

test('an unknown kind is refused with the list of kinds', async () => {
  const { body } = await connect('pigeon', {});
  expect(body.errors[0]).toMatchObject({ pointer: '/kind', detail: expect.stringContaining(CHANNEL_KINDS.join(', ')) });
});
