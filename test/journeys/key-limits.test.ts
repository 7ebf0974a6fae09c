import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from 'drizzle-orm';
import { type Answer, startTestApp, type TestApp } from '../app.ts';
import { givenAgent, givenOrganization, givenTrigger } from '../factories.ts';

/** Rows 4b and 12 of the order of checks (docs/security.md) for the limits of a key, as its callers meet them. */
let parley: TestApp;
let orgId: string;
let agentId: string;
let channelId: string;
let triggerId: string;

const ALL = ['triggers' as const, 'channels' as const, 'end_users' as const];

beforeAll(async () => {
  parley = await startTestApp({}, { role: 'api' });
  orgId = await givenOrganization(parley.db);
  ({ agentId, channelId } = await givenAgent(parley.db, orgId));
  triggerId = await givenTrigger(parley.db, orgId, agentId, {
    variables: [{ name: 'order', type: 'string', required: false }],
  });
});
afterAll(() => parley.stop());

type Options = Parameters<TestApp['key']>[1];

async function callerOf(options: Options) {
  const { id, value } = await parley.key(orgId, { permissions: ALL, ...options });
  const call = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    parley.call(method, path, { key: value, headers, ...(body !== undefined && { body }) });
  const start = (body: object = {}, headers?: Record<string, string>) =>
    call('POST', `/api/triggers/${agentId}/${triggerId}`, body, headers);
  const send = (to: object) =>
    call('POST', `/api/channels/${agentId}/${channelId}/messages`, { to, content: { type: 'text', text: 'Hello' } });
  return { id, call, start, send, me: () => call('GET', '/api/me') };
}

/** The endpoint for clients of OpenAI has their form of errors. */
const verdict = ({ status, body }: Answer) => [status, body?.code ?? body?.error?.code];
const USED_UP = [403, 'key_used_up'];

describe('a key that has used up its total', () => {
  test('a key without remaining calls is refused by every endpoint, before permission and records are checked', async () => {
    const { call, me } = await callerOf({ total: 1, permissions: ['channels'] });
    expect((await me()).body).toMatchObject({ limits: { total: 1 }, remaining: 0 });
    const { body: openapi } = await parley.call('GET', '/api/openapi.json');
    const closed = Object.entries(
      openapi.paths as Record<string, Record<string, { security?: unknown[]; responses: object }>>,
    ).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { security }]) =>
        security === undefined || security.length > 0 ? [{ path, method }] : [],
      ),
    );
    expect(closed.length).toBeGreaterThan(20);
    for (const { path, method } of closed) {
      const answer = await call(method.toUpperCase(), path.replaceAll(/\{\w+\}/g, 'missing'));
      expect({ path, method, answer: verdict(answer) }).toEqual({ path, method, answer: USED_UP });
    }
  });
});

describe('a total', () => {
  test('the total counts each accepted call once, whatever its endpoint', async () => {
    const { call, start, me } = await callerOf({ total: 5 });
    const accepted = await start({ message: 'Hello' });
    expect(accepted.status).toBe(202);
    expect((await call('GET', new URL(accepted.headers.get('location')!).pathname)).status).toBe(200);
    expect((await me()).body.remaining).toBe(2);
    expect((await start({}, { 'idempotency-key': 'once' })).status).toBe(202);
    const again = await start({}, { 'idempotency-key': 'once' });
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([202, 'true']);
    expect(verdict(await start())).toEqual(USED_UP);
    expect(verdict(await me())).toEqual(USED_UP);
  });

  test('the total does not count a call that any check refused', async () => {
    const { id, call, start, me } = await callerOf({ total: 2, permissions: ['triggers'] });
    const at = `/api/triggers/${agentId}`;
    const broken = { 'content-type': 'application/json' };
    const refused = [
      await call('POST', '/api/end-users', { name: 'Asha' }),
      await call('POST', `/api/triggers/agent_01jd0000000000000000000000/${triggerId}`, {}),
      await call('POST', `${at}/trigger_01jd0000000000000000000000`, {}),
      await call('POST', `${at}/${triggerId}`, '{', broken),
      await start({ unknown: true }),
      await start({ end_user: { id: 'enduser_01jd0000000000000000000000' } }),
      await call('GET', `${at}/${triggerId}/runs/run_01jd0000000000000000000000`),
      await start({}, { 'idempotency-key': 'two words' }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([403, 404, 404, 400, 422, 422, 404, 422]);
    expect((await start()).status).toBe(202);
    expect((await me()).body.remaining).toBe(0);
    const { rows } = await parley.db.execute(sql`SELECT reserved FROM api_key_use WHERE key_id = ${id}`);
    expect(rows).toEqual([{ reserved: 2 }]);
  });

  test('exactly the total is accepted if more calls arrive at the same time', async () => {
    const { start } = await callerOf({ total: 40 });
    const answers = await Promise.all(Array.from({ length: 120 }, () => start()));
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(40);
    expect(answers.filter(({ body }) => body.code === 'key_used_up')).toHaveLength(80);
  });

  test('the total counts a tool call of /mcp once, and does not count the list of tools', async () => {
    const { call } = await callerOf({ total: 1 });
    const rpc = async (method: string, params: object) => {
      const accept = { accept: 'application/json, text/event-stream' };
      const answer = await call('POST', '/mcp', { jsonrpc: '2.0', id: 1, method, params }, accept);
      const event = /^data: (.*)$/m.exec(answer.text)?.[1];
      return (event === undefined ? answer.body : JSON.parse(event)).result;
    };
    expect((await rpc('tools/list', {})).tools.length).toBeGreaterThan(1);
    const me = () => rpc('tools/call', { name: 'getMe', arguments: {} });
    expect(JSON.parse((await me()).content[0].text)).toMatchObject({ remaining: 0 });
    expect(JSON.parse((await me()).content[0].text)).toMatchObject({ code: 'key_used_up' });
  });
});

describe('a limit per minute', () => {
  test('the limit counts all families of endpoints together, and refuses with 429 and Retry-After 60', async () => {
    const { start, send, me } = await callerOf({ perMinute: 3 });
    const first = await me();
    expect([first.status, first.headers.get('ratelimit-policy')]).toEqual([200, '"key_limit";q=3;w=60']);
    expect((await start()).status).toBe(202);
    expect((await send({ end_user: { external_id: 'minute' } })).status).toBe(202);
    const refused = await start();
    expect(verdict(refused)).toEqual([429, 'rate_limited']);
    expect(refused.headers.get('retry-after')).toBe('60');
    expect(refused.headers.get('ratelimit')).toMatch(/^"key_limit";r=0;t=\d+$/);
    expect(verdict(await me())).toEqual([429, 'rate_limited']);
  });

  test('a call that the limit per minute refuses does not count in the total', async () => {
    const { id, me } = await callerOf({ perMinute: 1, total: 5 });
    expect((await me()).body).toMatchObject({ limits: { per_minute: 1, total: 5 }, remaining: 4 });
    for (let n = 0; n < 6; n++) expect(verdict(await me())).toEqual([429, 'rate_limited']);
    const reserved = async () =>
      (await parley.db.execute(sql`SELECT reserved FROM api_key_use WHERE key_id = ${id}`)).rows[0];
    await expect.poll(reserved, { timeout: 10_000 }).toEqual({ reserved: 1 });
  });

  test('the limit per end user counts triggers and sends together, whichever identifier names the person', async () => {
    const { start, send, me } = await callerOf({ perEndUserPerMinute: 2 });
    const asha = { external_id: 'asha', email: 'Asha@example.qa' };
    expect((await start({ end_user: asha })).status).toBe(202);
    expect((await send({ end_user: { external_id: 'asha' } })).status).toBe(202);
    for (const refused of [
      await start({ end_user: { external_id: 'asha' } }),
      await send({ end_user: { external_id: 'asha' } }),
      await start({ end_user: asha }),
    ]) {
      expect(verdict(refused)).toEqual([429, 'rate_limited']);
      expect(refused.headers.get('retry-after')).toBe('60');
    }
    // The refused calls did not count for the e-mail address.
    expect((await start({ end_user: { email: 'asha@EXAMPLE.qa' } })).status).toBe(202);
    expect(verdict(await start({ end_user: { email: 'asha@example.qa' } }))).toEqual([429, 'rate_limited']);
    expect((await start({ end_user: { external_id: 'omar' } })).status).toBe(202);
    for (let n = 0; n < 5; n++) expect((await start()).status).toBe(202);
    for (let n = 0; n < 2; n++) await start({ conversation: { key: 'order-1' } });
    expect(verdict(await start({ conversation: { key: 'order-1' } }))).toEqual([429, 'rate_limited']);
    expect((await me()).status).toBe(200);
  });
});
