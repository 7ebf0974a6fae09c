import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SLOW_BODY_MS } from '../../src/http/route/mount-routes.ts';
import { newId } from '../../src/kernel/ids.ts';
import { type Answer, startTestApp, type TestApp } from '../app.ts';
import { givenAgent, givenOrganization, givenTrigger } from '../factories.ts';
import { rawExchange } from '../raw-http.ts';

/**
 * Row 4a of the order of checks (docs/security.md): the networks of a key apply at every endpoint, and in every
 * statement that accepts work.
 */
let parley: TestApp;
let orgId: string;
let agentId: string;
let channelId: string;
let triggerId: string;
let campaignId: string;

const INSIDE = '203.0.113.7';
const OUTSIDE = '192.0.2.1';
const OFFICE = ['203.0.113.0/24', '2001:db8::/32'];
const ALL = ['triggers' as const, 'channels' as const, 'end_users' as const];

beforeAll(async () => {
  // The test acts as the proxy, so it sets the caller's address.
  parley = await startTestApp({ TRUSTED_PROXIES: '127.0.0.1' }, { role: 'api' });
  orgId = await givenOrganization(parley.db);
  ({ agentId, channelId } = await givenAgent(parley.db, orgId));
  triggerId = await givenTrigger(parley.db, orgId, agentId);
  campaignId = newId('campaign');
  await parley.db.execute(
    sql`INSERT INTO campaign (org_id, id, agent_id, channel_id, name, state)
      VALUES (${orgId}, ${campaignId}, ${agentId}, ${channelId}, 'November', 'live')`,
  );
});
afterAll(() => parley.stop());

const from = (address: string, key: string) => (method: string, path: string, body?: unknown) =>
  parley.call(method, path, {
    key,
    headers: { 'x-forwarded-for': address, accept: 'application/json, text/event-stream' },
    ...(body !== undefined && { body }),
  });

/** The endpoint for clients of OpenAI has their form of errors. */
const verdict = ({ status, body }: Answer) => [status, body?.code ?? body?.error?.code];
const REFUSED = [403, 'network_not_allowed'];

const lastUsed = async (id: string) =>
  (await parley.db.execute<{ at: Date | null }>(sql`SELECT last_used_at AS at FROM api_key WHERE id = ${id}`)).rows[0]!
    .at;

describe('a caller outside the networks of the key', () => {
  test('a caller outside the networks is refused by every endpoint that accepts a key, before the records in the path are checked', async () => {
    const { value } = await parley.key(orgId, { permissions: ALL, allowedNetworks: OFFICE });
    const { body: openapi } = await parley.call('GET', '/api/openapi.json');
    const operations = Object.entries(
      openapi.paths as Record<string, Record<string, { security?: unknown[] }>>,
    ).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { security }]) => ({ path, method, security })),
    );
    const closed = operations.filter(({ security }) => security === undefined || security.length > 0);
    expect(closed.length).toBeGreaterThan(20);
    for (const { path, method } of [...closed, { path: '/mcp', method: 'post' }]) {
      const target = path.replaceAll(/\{\w+\}/g, 'missing');
      const answer = await from(OUTSIDE, value)(method.toUpperCase(), target);
      expect({ path, method, answer: verdict(answer) }).toEqual({ path, method, answer: REFUSED });
    }
  });

  test('the networks are checked after the key and before the plan, and a refused call counts as a use of the key', async () => {
    const free = await givenOrganization(parley.db, { plan: 'free' });
    const { id, value } = await parley.key(free, { allowedNetworks: OFFICE });
    expect(verdict(await from(OUTSIDE, value)('GET', '/api/me'))).toEqual(REFUSED);
    expect(verdict(await from(INSIDE, value)('GET', '/api/me'))).toEqual([403, 'plan_required']);
    await expect.poll(() => lastUsed(id)).not.toBeNull();
    await parley.app.access.change({ kind: 'key', id }, (tx) =>
      tx.execute(sql`UPDATE api_key SET revoked_at = now() WHERE id = ${id}`),
    );
    expect(verdict(await from(OUTSIDE, value)('GET', '/api/me'))).toEqual([401, 'key_revoked']);
  });

  test('a caller outside the networks sees the checked address, but not the networks', async () => {
    const { value } = await parley.key(orgId, { allowedNetworks: OFFICE });
    const refused = await from(OUTSIDE, value)('GET', '/api/me');
    expect(refused.body.detail).toContain(OUTSIDE);
    expect(refused.text).not.toContain('203.0.113');
    // Text from a proxy that is not an address is in no network.
    for (const odd of ['unknown', '203.0.113.7:80', '203.0.113.7, nonsense'])
      expect(verdict(await from(odd, value)('GET', '/api/me'))).toEqual(REFUSED);
  });

  test('a caller cannot claim another address in a header, because only trusted proxies are believed', async () => {
    const { value } = await parley.key(orgId, { allowedNetworks: OFFICE });
    expect(verdict(await from(`${INSIDE}, ${OUTSIDE}`, value)('GET', '/api/me'))).toEqual(REFUSED);
  });

  test('a caller is refused if the key is narrowed while the body is still arriving', async () => {
    const { id, value } = await parley.key(orgId, { permissions: ALL });
    const narrowed = Promise.withResolvers<void>();
    const head =
      `POST /api/end-users/search HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Forwarded-For: ${OUTSIDE}\r\n` +
      `Authorization: Bearer ${value}\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{`;
    const asking = rawExchange(Number(new URL(parley.url).port), [head, narrowed.promise, '}']);
    await expect.poll(() => lastUsed(id), { timeout: 20_000 }).not.toBeNull();
    await parley.app.access.change({ kind: 'key', id }, (tx) =>
      tx.execute(sql`UPDATE api_key SET allowed_networks = '{203.0.113.0/24}' WHERE id = ${id}`),
    );
    await pause(SLOW_BODY_MS);
    narrowed.resolve();
    const [answer] = (await asking).answers;
    expect([answer!.status, answer!.json().code]).toEqual(REFUSED);
  });
});

describe('a caller inside', () => {
  test('a caller inside the networks is accepted over IPv4 and IPv6, and sees the networks', async () => {
    const { value } = await parley.key(orgId, { allowedNetworks: OFFICE });
    for (const address of [INSIDE, `::ffff:${INSIDE}`, '2001:db8::7']) {
      const answer = await from(address, value)('GET', '/api/me');
      expect([answer.status, answer.body.allowed_networks]).toEqual([200, OFFICE]);
    }
    const { value: free } = await parley.key(orgId);
    expect((await from(OUTSIDE, free)('GET', '/api/me')).body.allowed_networks).toBeNull();
  });

  test('a caller inside the networks uses the tools of /mcp with its own address, not with that of this machine', async () => {
    const { value } = await parley.key(orgId, { allowedNetworks: OFFICE });
    const rpc = async (method: string, params: object, key = value, address = INSIDE) => {
      const answer = await from(address, key)('POST', '/mcp', { jsonrpc: '2.0', id: 1, method, params });
      const event = /^data: (.*)$/m.exec(answer.text)?.[1];
      return event === undefined ? answer.body : JSON.parse(event);
    };
    const { result } = await rpc('tools/call', { name: 'getMe', arguments: {} });
    expect(JSON.parse(result.content[0].text)).toMatchObject({ allowed_networks: OFFICE });
    expect((await rpc('tools/list', {})).result.tools.length).toBeGreaterThan(1);
    // A key for this machine only must not work for a remote caller of /mcp.
    const local = await parley.key(orgId, { allowedNetworks: ['127.0.0.1/32'] });
    expect(await rpc('tools/call', { name: 'getMe', arguments: {} }, local.value)).toMatchObject({
      code: 'network_not_allowed',
    });
  });
});

/** Every endpoint that writes. The first call of each caches the key on this node. */
const trigger = () => `/api/triggers/${agentId}/${triggerId}`;
const doors: [string, 'key' | 'campaign', (call: ReturnType<typeof from>) => Promise<() => Promise<Answer>>][] = [
  ['a trigger call', 'key', async (call) => () => call('POST', trigger(), { end_user: { external_id: 'fence' } })],
  [
    'a cancelled run',
    'key',
    async (call) => {
      const { body } = await call('POST', trigger(), {});
      return () => call('POST', `${trigger()}/runs/${body.id}/cancel`);
    },
  ],
  [
    'a message',
    'key',
    async (call) => () =>
      call('POST', `/api/channels/${agentId}/${channelId}/messages`, {
        to: { end_user: { external_id: 'fence' } },
        content: { type: 'text', text: 'Hello' },
      }),
  ],
  ['a new person', 'key', async (call) => () => call('POST', '/api/end-users', { name: 'Fence' })],
  ['an upsert', 'key', async (call) => () => call('PUT', '/api/end-users/external/fence', { name: 'Fence' })],
  [
    'an import',
    'key',
    async (call) => () => call('POST', '/api/end-users/bulk', { end_users: [{ external_id: 'f' }] }),
  ],
  [
    'a change of a person',
    'key',
    async (call) => {
      const { body } = await call('PUT', '/api/end-users/external/changed', {});
      return () => call('PATCH', `/api/end-users/${body.id}`, { name: 'Fence' });
    },
  ],
  [
    'a consent',
    'key',
    async (call) => {
      const { body } = await call('PUT', '/api/end-users/external/consenting', {});
      return () => call('PUT', `/api/end-users/${body.id}/consent/email`, { status: 'opted_out' });
    },
  ],
  [
    'an erasure',
    'key',
    async (call) => {
      const { body } = await call('PUT', '/api/end-users/external/erased', {});
      return () => call('DELETE', `/api/end-users/${body.id}`);
    },
  ],
  [
    'recipients',
    'campaign',
    async (call) => () =>
      call('POST', `/api/campaigns/${campaignId}/recipients`, {
        recipients: [{ end_user: { external_id: 'fence' } }],
        dedupe: 'none',
      }),
  ],
  [
    'a cancelled recipient',
    'campaign',
    async (call) => {
      const { body } = await call('POST', `/api/campaigns/${campaignId}/recipients`, {
        recipients: [
          { end_user: { external_id: newId('req') }, send_at: new Date(Date.now() + 3_600_000).toISOString() },
        ],
      });
      return () => call('DELETE', `/api/campaigns/${campaignId}/recipients/${body.results[0].recipient_id}`);
    },
  ],
  ['a paused campaign', 'campaign', async (call) => () => call('POST', `/api/campaigns/${campaignId}/pause`)],
  ['a campaign that goes on', 'campaign', async (call) => () => call('POST', `/api/campaigns/${campaignId}/resume`)],
];

describe('the fence refuses a key that was narrowed while this node did not know it', () => {
  test.each(doors)('%s', async (_, kind, door) => {
    const given = () =>
      parley.key(
        orgId,
        kind === 'key' ? { permissions: ALL } : { scope: 'campaign', campaignId, permissions: ['campaigns'] },
      );
    const { id, value } = await given();
    const act = await door(from(OUTSIDE, value));
    await from(OUTSIDE, value)('GET', '/api/me');
    // Directly in the database, without the change log: as if this node had slept since its check.
    await parley.db.execute(sql`UPDATE api_key SET allowed_networks = '{203.0.113.0/24}' WHERE id = ${id}`);
    const before = await everything();
    expect(verdict(await act())).toEqual(REFUSED);
    expect(await everything()).toEqual(before);

    // The same call from inside succeeds, because the fence knows the caller's address.
    const inside = await given();
    await parley.db.execute(sql`UPDATE api_key SET allowed_networks = '{203.0.113.0/24}' WHERE id = ${inside.id}`);
    const answer = await (await door(from(INSIDE, inside.value)))();
    expect({ ok: answer.status < 300, text: answer.text }).toMatchObject({ ok: true });
  });

  const everything = async () => {
    const counts = ['run', 'message', 'end_user', 'recipient', 'conversation', 'identity', 'idempotency'];
    const { rows } = await parley.db.execute(
      sql.raw(
        `SELECT ${counts.map((table) => `(SELECT count(*) FROM ${table}) AS ${table}`).join(', ')},
          (SELECT json_agg(json_build_array(name, consent) ORDER BY id) FROM end_user) AS people,
          (SELECT state FROM campaign WHERE id = '${campaignId}') AS campaign`,
      ),
    );
    return rows;
  };
});
