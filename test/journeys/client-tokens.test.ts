import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mintKey } from '../../src/access/api-keys/key-format.ts';
import { createClientTokens } from '../../src/access/client-tokens/client-token.ts';
import { type Answer, startTestApp, type TestApp } from '../app.ts';
import { givenAgent, givenOrganization, givenTrigger } from '../factories.ts';

/** Client tokens (docs/client-tokens.md) against the running program: their rights, and the order of their checks. */
let parley: TestApp;
let orgId: string;
let agentId: string;
let triggerId: string;
let path: string;
let key: { id: string; value: string };

const SHOP = 'https://shop.example';
const LINES: object[] = [];

beforeAll(async () => {
  parley = await startTestApp({ BASE_URL_EU: 'https://eu.parley.test', LOG_LEVEL: 'trace' }, { lines: LINES });
  orgId = await givenOrganization(parley.db);
  ({ agentId } = await givenAgent(parley.db, orgId));
  triggerId = await givenTrigger(parley.db, orgId, agentId);
  path = `/api/triggers/${agentId}/${triggerId}`;
  key = await parley.key(orgId);
});
afterAll(() => parley.stop());

const verdict = (answer: Answer) => [answer.status, answer.body?.code];
const create = (body: object = {}, by = key.value) =>
  parley.call('POST', '/api/client-tokens', {
    key: by,
    body: {
      agent_id: agentId,
      trigger_id: triggerId,
      end_user: { external_id: 'crm-42' },
      origins: [SHOP],
      expires_in: 600,
      ...body,
    },
  });
const tokenOf = async (body: object = {}, by = key.value): Promise<string> => {
  const made = await create(body, by);
  if (made.status !== 201) throw new Error(made.text);
  return made.body.token;
};
const fromPage = (token: string, method: string, at: string, body?: unknown, headers: Record<string, string> = {}) =>
  parley.call(method, at, { key: token, ...(body !== undefined && { body }), headers: { origin: SHOP, ...headers } });
const say = (token: string, body: object = {}, headers: Record<string, string> = {}) =>
  fromPage(token, 'POST', path, body, { prefer: 'wait=20', ...headers });
const seal = (change: object) =>
  createClientTokens(parley.secrets.clientTokenKey, 'us').issue({
    keyId: key.id,
    orgId,
    agentId,
    triggerId,
    endUser: { external_id: 'crm-42' },
    conversationKey: null,
    origins: [SHOP],
    expiresAt: Date.now() + 60_000,
    ...change,
  });

describe('POST /api/client-tokens', () => {
  test('the response contains a client token, which is stored nowhere', async () => {
    const made = await create();
    expect(made.status).toBe(201);
    expect(made.body.token).toMatch(/^parley_client_us_[\w-]{100,}$/);
    expect(Date.parse(made.body.expires_at) - Date.now()).toBeGreaterThan(590_000);
    expect(made.headers.get('cache-control')).toBe('no-store');
    const { rows } = await parley.db.execute<{ n: number }>(
      sql`SELECT count(*)::int AS n FROM end_user WHERE org_id = ${orgId}`,
    );
    expect(rows[0]!.n).toBe(0);
  });

  test.each<[string, object, string]>([
    ['an origin with a path', { origins: ['https://shop.example/'] }, '/origins/0 format'],
    ['an origin in upper case', { origins: [SHOP, 'https://Shop.example'] }, '/origins/1 format'],
    ['an origin with its default port', { origins: ['https://shop.example:443'] }, '/origins/0 format'],
    ['a wildcard', { origins: ['https://*.shop.example'] }, '/origins/0 format'],
    ['plain http', { origins: ['http://shop.example'] }, '/origins/0 format'],
    ['the origin null', { origins: ['null'] }, '/origins/0 format'],
    ['an origin with a password', { origins: ['https://a:b@shop.example'] }, '/origins/0 format'],
    ['no origin', { origins: [] }, '/origins too_few'],
    ['a short life', { expires_in: 59 }, '/expires_in out_of_range'],
    ['a long life', { expires_in: 3_601 }, '/expires_in out_of_range'],
    ['nobody', { end_user: { name: 'Asha' } }, '/end_user required'],
    [
      'an id with a name',
      { end_user: { id: 'enduser_01h455vb4pex5vsknk084sn02q', name: 'A' } },
      '/end_user/id conflict',
    ],
    ['too much', { end_user: { external_id: 'a', attributes: { note: 'x'.repeat(4_000) } } }, '/end_user too_long'],
    ['an unknown field', { scope: 'all' }, '/scope unknown_field'],
  ])('refuses %s', async (_name, body, fault) => {
    const answer = await create(body);
    expect(verdict(answer)).toEqual([422, 'validation_failed']);
    expect(answer.body.errors.map((each: { pointer: string; code: string }) => `${each.pointer} ${each.code}`)).toEqual(
      [fault],
    );
  });

  test('a client token may name pages on localhost', async () => {
    expect((await create({ origins: ['http://localhost:3000', 'http://127.0.0.1:8080'] })).status).toBe(201);
  });

  test('a client token has no right that its key lacks', async () => {
    const { agentId: otherAgent } = await givenAgent(parley.db, orgId);
    const otherTrigger = await givenTrigger(parley.db, orgId, otherAgent);
    const foreign = await givenOrganization(parley.db);
    const { agentId: foreignAgent } = await givenAgent(parley.db, foreign);
    const agentKey = (await parley.key(orgId, { scope: 'agent', agentId })).value;
    const channelKey = (await parley.key(orgId, { permissions: ['channels'] })).value;
    expect(verdict(await create({}, channelKey))).toEqual([403, 'permission_missing']);
    expect(verdict(await create({ agent_id: otherAgent, trigger_id: otherTrigger }, agentKey))).toEqual([
      403,
      'agent_mismatch',
    ]);
    expect(verdict(await create({ agent_id: foreignAgent }))).toEqual([404, 'agent_not_found']);
    expect(verdict(await create({ trigger_id: otherTrigger }))).toEqual([404, 'trigger_not_found']);
    expect(verdict(await create({}, await tokenOf()))).toEqual([403, 'client_token_not_allowed']);
  });
});

describe('a client token', () => {
  test('a client token calls its trigger as its end user, and reads and continues the conversation', async () => {
    const token = await tokenOf({ end_user: { external_id: 'whole', name: 'Asha' } });
    const started = await say(token, { message: 'Hello' });
    expect(started.status).toBe(200);
    const { id, conversation_id: conversation } = started.body;
    expect((await fromPage(token, 'GET', `${path}/runs/${id}?include=messages`)).body.messages).toHaveLength(2);
    const next = await say(token, { message: 'One more question', conversation: { id: conversation } });
    expect(next.status).toBe(200);
    expect(next.body.conversation_id).toBe(conversation);
    const messages = await fromPage(token, 'GET', `${path}/conversations/${conversation}/messages`);
    expect(messages.body.data.map(({ role }: { role: string }) => role)).toEqual([
      'agent',
      'end_user',
      'agent',
      'end_user',
    ]);
    // The next token for the same person continues, also by another node.
    const renewed = await tokenOf({ end_user: { external_id: 'whole' } });
    expect((await fromPage(renewed, 'GET', `${path}/runs/${id}`)).status).toBe(200);
    const { rows } = await parley.db.execute(sql`SELECT e.external_id, e.name FROM conversation c
      JOIN end_user e ON e.org_id = c.org_id AND e.id = c.end_user_id WHERE c.id = ${conversation}`);
    expect(rows).toEqual([{ external_id: 'whole', name: 'Asha' }]);
  });

  test('a client token streams a run', async () => {
    const token = await tokenOf({ end_user: { external_id: 'stream' } });
    const { id } = (await say(token, { message: 'Hello' })).body;
    const stream = await fetch(`${parley.url}${path}/runs/${id}/events`, {
      headers: { authorization: `Bearer ${token}`, origin: SHOP },
    });
    expect(stream.headers.get('access-control-allow-origin')).toBe(SHOP);
    const text = new TextDecoder();
    let received = '';
    for await (const bytes of stream.body!) {
      received += text.decode(bytes as Uint8Array);
      if (received.includes('event: run')) break;
    }
    expect(received).toContain('event: message');
  });

  test('a client token continues the conversation whose conversation key it contains', async () => {
    const start = { end_user: { external_id: 'keyed' }, conversation: { key: 'order-7' }, message: 'From the shop' };
    const before = await parley.call('POST', path, { key: key.value, body: start, headers: { prefer: 'wait=20' } });
    const token = await tokenOf({ end_user: { external_id: 'keyed' }, conversation: { key: 'order-7' } });
    const sent = await say(token, { message: 'And by the page' });
    expect(sent.body.conversation_id).toBe(before.body.conversation_id);
    const other = await tokenOf({ end_user: { external_id: 'thief' }, conversation: { key: 'order-7' } });
    expect(verdict(await say(other, { message: 'Mine?' }))).toEqual([409, 'already_exists']);
  });

  test.each<[string, object, string]>([
    ['another end user', { end_user: { external_id: 'crm-1' } }, '/end_user'],
    ['its own end user with other data', { end_user: { external_id: 'crm-42', email: 'a@b.qa' } }, '/end_user'],
    ['a channel or address', { channel: { address: '+97430000000' } }, '/channel'],
    ['a later time', { send_at: '2030-01-01T00:00:00Z' }, '/send_at'],
    ['a dry run', { dry_run: true }, '/dry_run'],
    ['a conversation key', { conversation: { key: 'order-7' } }, '/conversation'],
  ])('cannot choose %s', async (_name, body, pointer) => {
    const answer = await say(await tokenOf(), body);
    expect(verdict(answer)).toEqual([422, 'validation_failed']);
    expect(answer.body.errors).toMatchObject([{ pointer, code: 'not_allowed' }]);
  });

  test('a client token sees no conversation of another person, of a backend or of another key', async () => {
    const own = await say(await tokenOf({ end_user: { external_id: 'mine' } }), { message: 'Secret' });
    const byBackend = await parley.call('POST', path, {
      key: key.value,
      body: { end_user: { external_id: 'crm-42' }, message: 'Internal' },
      headers: { prefer: 'wait=20' },
    });
    const otherKey = await parley.key(orgId);
    const tokens = [await tokenOf(), await tokenOf({ end_user: { external_id: 'mine' } }, otherKey.value)];
    for (const token of tokens)
      for (const { id, conversation_id: conversation } of [own.body, byBackend.body]) {
        expect(verdict(await fromPage(token, 'GET', `${path}/runs/${id}`))).toEqual([404, 'run_not_found']);
        expect(verdict(await fromPage(token, 'GET', `${path}/runs/${id}/events`))).toEqual([404, 'run_not_found']);
        expect(verdict(await fromPage(token, 'GET', `${path}/conversations/${conversation}/messages`))).toEqual([
          404,
          'conversation_not_found',
        ]);
        expect(verdict(await say(token, { message: 'Hi', conversation: { id: conversation } }))).toEqual([
          404,
          'conversation_not_found',
        ]);
      }
  });

  test('the Idempotency-Keys of a client token are separate from those of its key', async () => {
    const headers = { 'idempotency-key': 'first' };
    const backend = await parley.call('POST', path, { key: key.value, body: { message: 'Hi' }, headers });
    const page = await say(await tokenOf({ end_user: { external_id: 'i-1' } }), { message: 'Hi' }, headers);
    const other = await say(await tokenOf({ end_user: { external_id: 'i-2' } }), { message: 'Hi' }, headers);
    expect(new Set([backend.body.id, page.body.id, other.body.id]).size).toBe(3);
    const again = await say(await tokenOf({ end_user: { external_id: 'i-2' } }), { message: 'Hi' }, headers);
    expect(again.body.id).toBe(other.body.id);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
  });

  test('a client token shares the limits of its key', async () => {
    const limited = (await parley.key(orgId, { perEndUserPerMinute: 1 })).value;
    const token = await tokenOf({ end_user: { external_id: 'limited' } }, limited);
    expect((await say(token, { message: 'One' })).status).toBe(200);
    const second = await say(token, { message: 'Two' });
    expect(verdict(second)).toEqual([429, 'rate_limited']);
    expect(second.headers.get('access-control-allow-origin')).toBe(SHOP);
    expect((await say(await tokenOf({ end_user: { external_id: 'free' } }, limited), { message: 'One' })).status).toBe(
      200,
    );

    const counted = (await parley.key(orgId, { total: 2 })).value;
    const last = await tokenOf({}, counted);
    expect((await say(last)).status).toBe(200);
    expect(verdict(await say(last))).toEqual([403, 'key_used_up']);
  });

  test('client tokens have a limit for each person, so one page cannot use up the calls of the key', async () => {
    const token = await tokenOf({ end_user: { external_id: 'flood' } });
    const answers = await Promise.all(
      Array.from({ length: 121 }, () => fromPage(token, 'GET', `${path}/runs/run_01h455vb4pex5vsknk084sn02q`)),
    );
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(1);
    expect((await say(await tokenOf({ end_user: { external_id: 'calm' } }))).status).toBe(200);
  });
});

describe('the order of checks', () => {
  const routes: [string, string][] = [
    ['POST', ''],
    ['GET', '/runs/run_01h455vb4pex5vsknk084sn02q'],
    ['GET', '/runs/run_01h455vb4pex5vsknk084sn02q/events'],
    ['GET', '/conversations/conv_01h455vb4pex5vsknk084sn02q/messages'],
  ];

  test.each(routes)('the order of checks holds: %s %s', async (method, rest) => {
    const call = (token: string, origin: string | null = SHOP, at = path) =>
      parley.call(method, at + rest, { key: token, headers: origin === null ? {} : { origin } });
    const good = await tokenOf();
    const changed = `${good.slice(0, -1)}${good.endsWith('A') ? 'B' : 'A'}`;
    const revoked = await parley.key(orgId);
    await parley.db.execute(sql`UPDATE api_key SET revoked_at = now() WHERE id = ${revoked.id}`);
    const elsewhere = await parley.key(orgId, { allowedNetworks: ['192.0.2.0/24'] });
    const free = await givenOrganization(parley.db, { plan: 'free' });
    const freeKey = await parley.key(free);
    const channels = await parley.key(orgId, { permissions: ['channels'] });
    const { agentId: otherAgent } = await givenAgent(parley.db, orgId);
    const narrow = await parley.key(orgId, { scope: 'agent', agentId: otherAgent });
    const gone = await givenTrigger(parley.db, orgId, agentId);
    await parley.db.execute(sql`UPDATE trigger SET deleted_at = now() WHERE id = ${gone}`);

    expect(verdict(await call(changed))).toEqual([401, 'key_invalid']);
    expect(verdict(await call(`parley_client_us_${'A'.repeat(200)}`))).toEqual([401, 'key_invalid']);
    expect(verdict(await call(`parley_client_xx_${'A'.repeat(200)}`))).toEqual([401, 'key_invalid']);
    expect(verdict(await call(good.replace('_us_', '_eu_')))).toEqual([401, 'key_wrong_region']);
    expect(verdict(await call(good.replace('_us_', '_zz_')))).toEqual([401, 'key_invalid']);
    expect(verdict(await call(seal({ expiresAt: Date.now() - 1 })))).toEqual([401, 'client_token_expired']);
    expect(verdict(await call(seal({ keyId: 'key_01h455vb4pex5vsknk084sn02q' })))).toEqual([401, 'key_invalid']);
    expect(verdict(await call(seal({ keyId: revoked.id, origins: [] })))).toEqual([401, 'key_revoked']);
    expect(verdict(await call(seal({ keyId: elsewhere.id, origins: [] })))).toEqual([403, 'network_not_allowed']);
    const other = `/api/triggers/${agentId}/${gone}`;
    expect(verdict(await call(good, 'https://evil.example', other))).toEqual([403, 'client_token_not_allowed']);
    expect(verdict(await call(good, SHOP, `/api/triggers/${otherAgent}/${triggerId}`))).toEqual([
      403,
      'client_token_not_allowed',
    ]);
    for (const origin of [
      null,
      'null',
      'https://evil.example',
      'http://shop.example',
      `${SHOP}:444`,
      `${SHOP}, ${SHOP}`,
    ])
      expect(verdict(await call(good, origin))).toEqual([403, 'origin_not_allowed']);
    expect(verdict(await call(seal({ keyId: freeKey.id, orgId: free })))).toEqual([403, 'plan_required']);
    expect(verdict(await call(seal({ keyId: channels.id })))).toEqual([403, 'permission_missing']);
    expect(verdict(await call(seal({ keyId: narrow.id })))).toEqual([403, 'agent_mismatch']);
    expect(verdict(await call(seal({ orgId: free })))).toEqual([401, 'key_invalid']);
    expect(verdict(await call(seal({ triggerId: gone }), SHOP, other))).toEqual([404, 'trigger_not_found']);
  });

  test.each([
    ['GET', '/api/me'],
    ['GET', '/api/end-users'],
    ['POST', '/api/client-tokens'],
    ['GET', '/api/events'],
    ['GET', '{path}/runs'],
    ['POST', '{path}/runs/run_01h455vb4pex5vsknk084sn02q/cancel'],
    ['POST', '/mcp'],
  ])('%s %s takes no client token, and has no CORS', async (method, at) => {
    const answer = await fromPage(
      await tokenOf(),
      method,
      at.replace('{path}', path),
      method === 'POST' ? {} : undefined,
    );
    expect(verdict(answer)).toEqual([403, 'client_token_not_allowed']);
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    const preflight = await parley.call('OPTIONS', at.replace('{path}', path), {
      headers: { origin: SHOP, 'access-control-request-method': method },
    });
    expect(preflight.headers.get('access-control-allow-origin')).toBeNull();
  });

  test('only API keys can read the models of a run', async () => {
    const token = await tokenOf({ end_user: { external_id: 'models' } });
    const { id } = (await say(token, { message: 'Hello' })).body;
    expect(verdict(await fromPage(token, 'GET', `${path}/runs/${id}?include=models`))).toEqual([
      403,
      'client_token_not_allowed',
    ]);
  });
});

describe('CORS', () => {
  test('only pages that the token names can read its responses, including refusals', async () => {
    const token = await tokenOf();
    const missing = `${path}/runs/run_01h455vb4pex5vsknk084sn02q`;
    const own = await fromPage(token, 'GET', missing);
    expect(own.headers.get('access-control-allow-origin')).toBe(SHOP);
    expect(own.headers.get('vary')).toBe('origin');
    const expired = await fromPage(seal({ expiresAt: Date.now() - 1 }), 'GET', missing);
    expect(expired.headers.get('access-control-allow-origin')).toBe(SHOP);
    const evil = await fromPage(token, 'GET', missing, undefined, { origin: 'https://evil.example' });
    expect(evil.headers.get('access-control-allow-origin')).toBeNull();
    expect(evil.headers.get('vary')).toBe('origin');
    const byKey = await fromPage(key.value, 'GET', missing);
    expect(byKey.headers.get('access-control-allow-origin')).toBeNull();
    expect(own.headers.get('access-control-allow-credentials')).toBeNull();
  });

  test('the preflight of a page with https succeeds', async () => {
    const preflight = (origin: string) =>
      parley.call('OPTIONS', path, {
        headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' },
      });
    const allowed = await preflight(SHOP);
    expect(allowed.status).toBe(204);
    expect(allowed.headers.get('access-control-allow-origin')).toBe(SHOP);
    expect(allowed.headers.get('access-control-allow-methods')).toBe('POST');
    expect(allowed.headers.get('access-control-allow-headers')).toContain('authorization');
    expect(allowed.headers.get('vary')).toBe('origin');
    for (const origin of ['null', 'http://shop.example', 'file://'])
      expect((await preflight(origin)).headers.get('access-control-allow-origin')).toBeNull();
  });

  test('a preflight reveals nothing, and a call from a page outside the token has no effect', async () => {
    const evil = 'https://evil.example';
    const preflight = async (at: string) => {
      const headers = { origin: evil, 'access-control-request-method': 'POST' };
      const answer = await parley.call('OPTIONS', at, { headers });
      const shown = [...answer.headers].filter(([name]) => !['date', 'x-request-id'].includes(name));
      return [answer.status, answer.text, shown];
    };
    const unknown = '/api/triggers/agent_01h455vb4pex5vsknk084sn02q/trigger_01h455vb4pex5vsknk084sn02q';
    expect(await preflight(path)).toStrictEqual(await preflight(unknown));
    const token = await tokenOf({ end_user: { external_id: 'never' } });
    const refused = await fromPage(token, 'POST', path, { message: 'Hello' }, { origin: evil });
    expect(verdict(refused)).toEqual([403, 'origin_not_allowed']);
    expect(refused.headers.get('access-control-allow-origin')).toBeNull();
    const { rows } = await parley.db.execute(sql`SELECT 1 FROM end_user WHERE external_id = 'never'`);
    expect(rows).toEqual([]);
  });
});

describe('secrets', () => {
  test('no token is in a log line', async () => {
    const token = await tokenOf();
    await say(token, { message: 'Hello' });
    await parley.call('GET', `/api/me?token=${token}`, { key: token });
    const text = JSON.stringify(LINES);
    expect(text.length).toBeGreaterThan(100);
    expect(text).not.toContain(token.slice('parley_client_us_'.length, 60));
  });

  test('a leak report of a token does not revoke its key, because every visitor has a token', async () => {
    const token = await tokenOf({ end_user: { external_id: 'leak' } });
    const report = await parley.call('POST', '/api/keys/leaked', {
      body: [{ token, type: 'parley_api_key', url: 'https://paste.example/1', source: 'content' }],
    });
    expect(report.status).toBe(200);
    expect((await say(token, { message: 'Still here' })).status).toBe(200);
  });

  test('a key is not accepted as a client token, and a client token is not accepted as a key', () => {
    const tokens = createClientTokens(parley.secrets.clientTokenKey, 'us');
    expect(tokens.read(mintKey('us'))).toBeNull();
    expect(createClientTokens(parley.secrets.visitorKey, 'us').read(seal({}))).toBeNull();
    expect(tokens.read(seal({}))).toMatchObject({ keyId: key.id });
  });
});
