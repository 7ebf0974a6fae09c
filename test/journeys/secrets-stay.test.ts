import { type AddressInfo, createServer, type Server } from 'node:net';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { CHANNEL_FORMS, CHANNEL_KINDS, channelFields, type ChannelKindName } from '../../contract/channel-kinds.ts';
import { MODEL_PROVIDERS } from '../../contract/dashboard/models.ts';
import { verifyWebhook } from '../../src/kernel/standard-webhooks.ts';
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
 * A stored secret is never sent to an address other than its original one, for every role that can change the address.
 */
let parley: TestApp;
let owner: Owner;
let agentId: string;
/** An attacker's server that counts connections of any protocol. */
let thief: Server;
let visits = 0;
const thiefPort = () => (thief.address() as AddressInfo).port;

beforeAll(async () => {
  thief = createServer((socket) => {
    visits++;
    socket.on('error', () => {});
    socket.end();
  });
  await new Promise<void>((done) => thief.listen(0, '0.0.0.0', done));
  parley = await startTestApp({ PARLEY_EGRESS_ALLOW: '127.0.0.0/8' });
  owner = await givenOwner(parley);
  ({ agentId } = await givenAgent(parley.db, owner.orgId));
});
afterAll(async () => {
  await parley.stop();
  thief.close();
});
beforeEach(() => {
  visits = 0;
});

type Account = {
  settings: Record<string, unknown>;
  secrets: Record<string, string>;
  person: string;
  stop(): Promise<void>;
};

const provider = (start: () => Promise<FakeProvider>) => async (): Promise<Account> => {
  const { kind, settings, secrets, person, stop } = await start();
  const given = CHANNEL_FORMS[kind as ChannelKindName].secretFields as readonly string[];
  const chosen = Object.entries(secrets).filter(([name]) => given.includes(name));
  return { settings, secrets: Object.fromEntries(chosen), person, stop };
};

const mailbox = async (): Promise<Account> => {
  const { port, user, password, stop } = await startSmtp();
  const settings = { host: '127.0.0.1', port, security: 'none', username: user, from: user };
  return { settings, secrets: { password }, person: 'dana@example.com', stop };
};

/** Each kind with its credentials. Null only if the kind has no secret from a user. */
const ACCOUNTS: Record<ChannelKindName, (() => Promise<Account>) | null> = {
  sandbox: null,
  web_chat: null,
  webhook: null,
  telegram: provider(startTelegram),
  whatsapp: provider(startWhatsApp),
  sms: provider(startTwilio),
  slack: provider(startSlack),
  email: mailbox,
};

/** A different value for each address field of any kind. */
const ELSEWHERE: Record<string, () => unknown> = {
  api_url: () => `http://127.0.0.1:${thiefPort()}`,
  host: () => '127.0.0.2',
  port: thiefPort,
  security: () => 'starttls',
};

const connect = async (kind: string, { settings, secrets }: Account) => {
  const filled = { ...settings, ...secrets };
  const made = await owner.call('POST /channels', { agent_id: agentId, kind, name: kind, settings: filled });
  expect(made.status).toBe(201);
  return made.body.id as string;
};
const rowOf = async (id: string) =>
  (await parley.db.execute(sql`SELECT settings, sealed, status FROM channel WHERE id = ${id}`)).rows[0];

const BEHIND_A_BASE = CHANNEL_KINDS.filter((kind) => channelFields(kind).some(({ name }) => name === 'api_url'));

test.each(BEHIND_A_BASE)('credentials that a response of %s repeats are not stored', async (kind) => {
  const [account, echo] = [await ACCOUNTS[kind]!(), await startReceiver()];
  echo.answer = ({ headers, path }) => {
    const message = `Not like this: ${headers.authorization} ${path}`;
    const error = kind === 'slack' ? message : { message };
    return { status: 400, json: { ok: false, error, message, description: message } };
  };
  const settings = { ...account.settings, ...account.secrets, api_url: echo.url };
  const { status, body } = await owner.call('POST /channels', { agent_id: agentId, kind, name: kind, settings });
  expect(status).toBeGreaterThanOrEqual(400);
  const response = JSON.stringify(body);
  expect(response).toContain('[redacted]');
  for (const secret of Object.values(account.secrets)) expect(response).not.toContain(secret);
  await Promise.all([account.stop(), echo.stop()]);
});

describe.each(CHANNEL_KINDS)('%s', (kind) => {
  const { secretFields, addressFields } = CHANNEL_FORMS[kind] as (typeof CHANNEL_FORMS)['email'];
  const start = ACCOUNTS[kind];

  test('a channel kind declares the addresses of its secrets', () => {
    expect(start !== null).toBe(Object.keys(secretFields).length > 0);
    const links = channelFields(kind).filter(({ name }) => name === 'url' || name === 'host' || name.endsWith('_url'));
    expect(links.every(({ address }) => address)).toBe(true);
    expect(start === null || addressFields.length > 0).toBe(true);
  });

  if (start === null) return;

  test.each(addressFields)(
    'a channel requires its secrets again when %s changes, and makes no call before',
    async (field) => {
      const account = await start();
      const id = await connect(kind, account);
      const before = await rowOf(id);
      const settings = { ...account.settings, [field]: ELSEWHERE[field]!() };
      const refused = await owner.call(`PATCH /channels/${id}`, { name: 'Moved', settings });
      expect([refused.status, refused.body.code]).toEqual([422, 'validation_failed']);
      const pointers = secretFields.map((name) => ({ pointer: `/settings/${name}`, code: 'secret_required' }));
      expect(refused.body.errors).toMatchObject(pointers);
      expect(await rowOf(id)).toEqual(before);
      expect(visits).toBe(0);
      await account.stop();
    },
  );

  test('a channel accepts a new address together with its secrets', async () => {
    const [account, other] = [await start(), await start()];
    const id = await connect(kind, account);
    await account.stop();
    const settings = { ...other.settings, ...other.secrets };
    expect((await owner.call(`PATCH /channels/${id}`, { settings })).status).toBe(200);
    expect((await owner.call(`POST /channels/${id}/check`)).body).toMatchObject({ ok: true });
    await other.stop();
  });

  test('a channel sends nothing to an address that was written directly into its row', async () => {
    const account = await start();
    const id = await connect(kind, account);
    // The normal settings come first, so the decrypted secret is cached.
    expect((await owner.call(`POST /channels/${id}/check`)).body).toMatchObject({ ok: true });
    const field = addressFields.find((name) => name === 'port') ?? addressFields[0];
    const settings = JSON.stringify({ ...account.settings, [field]: ELSEWHERE[field]!() });
    await parley.db.execute(sql`UPDATE channel SET settings = ${settings}::jsonb WHERE id = ${id}`);
    const checked = await owner.call(`POST /channels/${id}/check`);
    expect(checked.body).toMatchObject({ ok: false, detail: expect.stringContaining('Enter them again') });
    // Free text is only sent to people who wrote recently.
    const template = { type: 'template', name: 'hello', language: 'en' };
    const content = kind === 'whatsapp' ? template : { type: 'text', text: 'A test' };
    const sent = await owner.call(`POST /channels/${id}/test`, { address: account.person, content });
    const read = async () =>
      (await parley.db.execute(sql`SELECT error ->> 'code' AS code FROM message WHERE id = ${sent.body.id}`)).rows[0];
    await expect.poll(read, { timeout: 15_000 }).toEqual({ code: 'channel_unauthorized' });
    await parley.db.execute(sql`UPDATE channel SET enabled = false WHERE id = ${id}`);
    expect((await owner.call(`DELETE /channels/${id}`)).status).toBe(204);
    expect(visits).toBe(0);
    await account.stop();
  });
});

describe.each(MODEL_PROVIDERS)('the account with the model provider %s', (name) => {
  const put = (body: object) => owner.call(`PUT /models/${name}`, body);
  const elsewhere = () => ({ base_url: `http://127.0.0.1:${thiefPort()}/v1` });

  test('a model provider’s key is not sent to another base_url', async () => {
    await put({ key: 'sk-given-for-the-first', base_url: 'http://127.0.0.1:8431/v1' });
    const before = (await owner.call('GET /models')).body;
    const refused = await put(elsewhere());
    expect([refused.status, refused.body.code]).toEqual([422, 'validation_failed']);
    expect(refused.body.errors).toMatchObject([{ pointer: '/key', code: 'secret_required' }]);
    expect((await owner.call('GET /models')).body).toEqual(before);
    expect((await put({ base_url: 'http://127.0.0.1:8431/v1' })).status).toBe(200);
    expect((await put({ ...elsewhere(), key: 'sk-given-for-the-second' })).status).toBe(200);
  });

  test('a model provider’s key is not sent to an address that was written directly into its row', async () => {
    await put({ key: 'sk-given-for-the-first', base_url: 'http://127.0.0.1:8431/v1' });
    await parley.db.execute(
      sql`UPDATE model_provider SET base_url = ${elsewhere().base_url} WHERE provider = ${name} AND org_id = ${owner.orgId}`,
    );
    const definition = { provider: name, model: 'any' };
    const tried = await owner.call(`POST /agents/${agentId}/playground`, {
      definition,
      messages: [{ role: 'end_user', text: 'Hi' }],
    });
    expect(tried.body).toMatchObject({
      code: 'provider_failed',
      detail: expect.stringContaining('belongs to other settings'),
    });
    expect(visits).toBe(0);
  });
});

describe('an endpoint for events', () => {
  test('a new URL keeps the signing secret of an event endpoint, because the secret is never sent', async () => {
    const [one, two] = [await startReceiver(), await startReceiver()];
    const { body: made } = await owner.call('POST /webhooks', { url: one.url });
    expect((await owner.call(`PATCH /webhooks/${made.id}`, { url: two.url })).status).toBe(200);
    await owner.call(`POST /webhooks/${made.id}/test`, {});
    const [call] = await two.received(1);
    expect(verifyWebhook(made.secret, call!.headers as Record<string, string>, call!.body, Date.now())).toBe(true);
    expect(one.calls).toEqual([]);
    const rotated = await owner.call(`POST /webhooks/${made.id}/rotate-secret`, { overlap: '24h' });
    expect(rotated.status).toBe(200);
    await Promise.all([one.stop(), two.stop()]);
  });

  test('an event endpoint signs nothing for an address that was written directly into its row', async () => {
    const [one] = [await startReceiver()];
    const { body: made } = await owner.call('POST /webhooks', { url: one.url });
    const url = `http://127.0.0.1:${thiefPort()}`;
    await parley.db.execute(sql`UPDATE webhook_endpoint SET url = ${url} WHERE id = ${made.id}`);
    await owner.call(`POST /webhooks/${made.id}/test`, {});
    const failed = async () =>
      (
        await parley.db.execute(
          sql`SELECT jsonb_array_length(history) AS told FROM event_delivery WHERE endpoint_id = ${made.id}`,
        )
      ).rows[0];
    await expect.poll(failed, { timeout: 15_000 }).toMatchObject({ told: 1 });
    expect(visits).toBe(0);
    await one.stop();
  });
});

test('a webhook channel keeps its signing secret when its URL changes', async () => {
  const [one, two] = [await startReceiver(), await startReceiver()];
  const settings = { url: one.url };
  const { body: made } = await owner.call('POST /channels', {
    agent_id: agentId,
    kind: 'webhook',
    name: 'W',
    settings,
  });
  const moved = await owner.call(`PATCH /channels/${made.id}`, { settings: { url: two.url } });
  expect(moved.status).toBe(200);
  expect(JSON.stringify(moved.body)).not.toContain('whsec_');
  await owner.call(`POST /channels/${made.id}/test`, { address: 'crm-1', content: { type: 'text', text: 'hello' } });
  const [call] = await two.received(1);
  expect(verifyWebhook(made.secret, call!.headers as Record<string, string>, call!.body, Date.now())).toBe(true);
  await Promise.all([one.stop(), two.stop()]);
});
