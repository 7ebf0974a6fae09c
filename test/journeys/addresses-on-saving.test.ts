import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHANNEL_FORMS, CHANNEL_KINDS, type ChannelKindName } from '../../contract/channel-kinds.ts';
import { type TestApp, startTestApp } from '../app.ts';
import { givenAgent } from '../factories.ts';
import { givenOwner, type Owner } from '../owner.ts';

/** A URL that can never be called is refused on saving with its location, and nothing is stored. */
let parley: TestApp;
let owner: Owner;
let agentId: string;
beforeAll(async () => {
  parley = await startTestApp({ PARLEY_EGRESS_ALLOW: 'allowed.test, 192.0.2.7:6379' });
  owner = await givenOwner(parley);
  ({ agentId } = await givenAgent(parley.db, owner.orgId));
});
afterAll(() => parley.stop());

const REFUSED = [
  ...[22, 25, 5432, 6379, 3306, 11211, 27017].map((port) => `https://hooks.example:${port}/x`),
  'https://192.0.2.7:5432/x',
  'https://allowed.test:6379/x',
  'https://10.0.0.1/x',
  'https://169.254.169.254/latest/meta-data',
  'https://[::1]/x',
  'https://2130706433/x',
  'https://localhost/x',
  'http://hooks.example/x',
  'https://user:password@hooks.example/x',
];
/** A name that does not resolve today may resolve tomorrow. The operator's own exceptions apply. */
const TAKEN = ['https://no-such-host.invalid/x', 'http://allowed.test/x', 'https://192.0.2.7:6379/x'];

const tool = (url: string) => ({ name: 'lookup', description: 'Looks up', parameters: { type: 'object' }, url });
const agentWith = (url: string) => ({ name: 'A', definition: { tools: [tool(url)] } });

const PLACES: Record<string, { save(url: string): ReturnType<Owner['call']>; pointer: string }> = {
  'an endpoint for events': { save: (url) => owner.call('POST /webhooks', { url }), pointer: '/url' },
  'a model account': {
    save: (url) => owner.call('PUT /models/openai_compatible', { base_url: url }),
    pointer: '/base_url',
  },
  'a tool of a new agent': {
    save: (url) => owner.call('POST /agents', agentWith(url)),
    pointer: '/definition/tools/0/url',
  },
  'a tool of an agent': {
    save: (url) => owner.call(`PATCH /agents/${agentId}`, { definition: agentWith(url).definition, publish: false }),
    pointer: '/definition/tools/0/url',
  },
};
const everything = async () =>
  (
    await parley.db.execute(sql`SELECT (SELECT count(*) FROM webhook_endpoint) AS webhooks,
      (SELECT count(*) FROM agent) AS agents, (SELECT count(*) FROM channel) AS channels,
      (SELECT json_agg(base_url) FROM model_provider)::text AS models, (SELECT json_agg(draft) FROM agent)::text AS drafts`)
  ).rows[0];

describe.each(Object.entries(PLACES))('%s', (_place, { save, pointer }) => {
  test.each(REFUSED)('the URL %s is refused', async (url) => {
    const before = await everything();
    const { status, body } = await save(url);
    expect([status, body.code]).toEqual([422, 'validation_failed']);
    expect(body.errors.map((fault: { pointer: string }) => fault.pointer)).toEqual([pointer]);
    expect(JSON.stringify(body)).not.toContain('password@');
    expect(await everything()).toEqual(before);
  });

  test.each(TAKEN)('the URL %s is accepted', async (url) => {
    expect((await save(url)).status).toBeLessThan(300);
  });
});

describe('an agent whose stored definition has a URL that is refused now', () => {
  const stored = JSON.stringify({ tools: [tool('https://10.0.0.1/x')] });
  const isRefused = ({ status, body }: Awaited<ReturnType<Owner['call']>>): void => {
    expect(status).toBe(422);
    expect(body.errors).toMatchObject([{ pointer: '/definition/tools/0/url', code: 'address_refused' }]);
  };

  test('an agent whose stored URL is now refused cannot be published', async () => {
    const { body: agent } = await owner.call('POST /agents', { name: 'Draft', definition: {} });
    await parley.db.execute(sql`UPDATE agent SET draft = ${stored}::jsonb WHERE id = ${agent.id}`);
    isRefused(await owner.call(`POST /agents/${agent.id}/publish`));
    expect((await owner.call(`GET /agents/${agent.id}`)).body.version).toBe(1);
  });

  test('a version whose stored URL is now refused cannot be restored', async () => {
    const { body: agent } = await owner.call('POST /agents', { name: 'Older', definition: {} });
    const definition = { opening: { default: 'Hello' } };
    await owner.call(`PATCH /agents/${agent.id}`, { definition });
    await parley.db.execute(
      sql`UPDATE agent_version SET definition = ${stored}::jsonb WHERE agent_id = ${agent.id} AND version = 1`,
    );
    isRefused(await owner.call(`POST /agents/${agent.id}/versions/1/restore`));
    expect((await owner.call(`GET /agents/${agent.id}`)).body.version).toBe(2);
  });
});

/** Valid settings of each kind, into which the URL is inserted. */
const SETTINGS: Record<ChannelKindName, Record<string, unknown>> = {
  sandbox: {},
  web_chat: {},
  webhook: {},
  telegram: { bot_token: `123456789:${'A'.repeat(35)}` },
  whatsapp: { phone_number_id: '123456789', access_token: 'E'.repeat(40), app_secret: 'a'.repeat(32) },
  sms: { account_sid: `AC${'a'.repeat(32)}`, auth_token: 'b'.repeat(32), from: '+15005550006' },
  slack: { bot_token: 'xoxb-1234567890-token', signing_secret: 'c'.repeat(32) },
  email: { from: 'a@example.com', username: 'a', password: 'b' },
};
const refusedFor = (kind: ChannelKindName): Record<string, unknown>[] => {
  const [field] = CHANNEL_FORMS[kind].addressFields;
  if (field !== 'host') return REFUSED.filter((url) => !url.includes('@')).map((url) => ({ [field!]: url }));
  const ports = [22, 53, 80, 443, 993, 5432, 6379, 8080].map((port) => ({ host: 'mail.example', port }));
  return [...ports, { host: '10.0.0.1' }, { host: 'localhost', port: 25 }, { host: '127.0.0.1', security: 'none' }];
};

const called = CHANNEL_KINDS.filter((kind) => CHANNEL_FORMS[kind].addressFields.length > 0);

describe.each(called)('refuses a private URL for a channel of kind %s', (kind) => {
  test.each(refusedFor(kind))('the configuration %o is refused', async (address) => {
    const before = await everything();
    const settings = { ...SETTINGS[kind], ...address };
    const { status, body } = await owner.call('POST /channels', { agent_id: agentId, kind, name: 'C', settings });
    expect(status).toBe(422);
    const [field] = Object.keys(address);
    expect(body.errors).toMatchObject([{ pointer: `/settings/${field}`, code: 'address_refused' }]);
    expect(await everything()).toEqual(before);
  });
});
