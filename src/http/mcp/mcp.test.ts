import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, startTestApp, type TestApp } from '../../../test/app.ts';
import { givenAgent, givenOrganization, givenTrigger } from '../../../test/factories.ts';

let parley: TestApp;
let orgId: string;
let agentId: string;
let triggerId: string;
let key: string;

beforeAll(async () => {
  parley = await startTestApp({ PARLEY_LIMITS: '{"triggers":{"key":20,"organization":1000}}' });
  orgId = await givenOrganization(parley.db);
  ({ agentId } = await givenAgent(parley.db, orgId));
  triggerId = await givenTrigger(parley.db, orgId, agentId);
  ({ value: key } = await parley.key(orgId, { permissions: ['triggers', 'end_users'] }));
});
afterAll(() => parley.stop());

let calls = 0;
const ACCEPT = { accept: 'application/json, text/event-stream' };

/** The answer is JSON, or one event of a stream: a client must accept both. */
async function rpc(method: string, params: object = {}, using = key): Promise<Answer> {
  const body = { jsonrpc: '2.0', id: ++calls, method, params };
  const answer = await parley.call('POST', '/mcp', { key: using, body, headers: ACCEPT });
  const event = /^data: (.*)$/m.exec(answer.text)?.[1];
  return event === undefined ? answer : { ...answer, body: JSON.parse(event) };
}

const tool = async (name: string, given: object = {}, using = key) => {
  const { body } = await rpc('tools/call', { name, arguments: given }, using);
  const { content, isError } = body.result;
  return { isError, result: JSON.parse(content[0].text) };
};

const namesFor = async (using: string): Promise<string[]> =>
  (await rpc('tools/list', {}, using)).body.result.tools.map(({ name }: { name: string }) => name);

describe('a client of the protocol', () => {
  test('an MCP client can initialize, list the tools and send notifications', async () => {
    const hello = await rpc('initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    });
    expect(hello.status).toBe(200);
    expect(hello.body.result).toMatchObject({ serverInfo: { name: 'parley' }, capabilities: { tools: {} } });
    const notified = await parley.call('POST', '/mcp', {
      key,
      headers: ACCEPT,
      body: { jsonrpc: '2.0', method: 'notifications/initialized' },
    });
    expect(notified.status).toBe(202);
    expect((await rpc('ping')).body.result).toEqual({});
  });

  test('a client starts a conversation and reads its run', async () => {
    const started = await tool('startConversation', {
      agent_id: agentId,
      trigger_id: triggerId,
      body: { end_user: { external_id: 'crm-42' } },
      idempotency_key: 'one',
    });
    expect(started).toMatchObject({ isError: false, result: { status: 'queued', agent_id: agentId } });
    const again = await tool('startConversation', {
      agent_id: agentId,
      trigger_id: triggerId,
      body: { end_user: { external_id: 'crm-42' } },
      idempotency_key: 'one',
    });
    expect(again.result).toEqual(started.result);
    const read = await tool('readRun', { agent_id: agentId, trigger_id: triggerId, run_id: started.result.id });
    expect(read.result.id).toBe(started.result.id);
  });

  test('a tool call passes path, query and body to its endpoint', async () => {
    const { body } = await rpc('tools/list');
    const start = body.result.tools.find(({ name }: { name: string }) => name === 'startConversation');
    expect(start.inputSchema.required).toEqual(['agent_id', 'trigger_id']);
    expect(Object.keys(start.inputSchema.properties)).toEqual([
      'agent_id',
      'trigger_id',
      'wait',
      'body',
      'idempotency_key',
    ]);
    const found = await tool('listEndUsers', { external_id: 'crm-42', limit: 1 });
    expect(found.result.data).toHaveLength(1);
  });
});

describe('a tool can do only what its key may do', () => {
  test('only the tools that the key may use are listed', async () => {
    expect(await namesFor(key)).toEqual(expect.arrayContaining(['getMe', 'startConversation', 'listEndUsers']));
    expect(await namesFor(key)).not.toContain('sendMessage');
    const { value: agentKey } = await parley.key(orgId, { scope: 'agent', agentId, permissions: ['triggers'] });
    expect(await namesFor(agentKey)).not.toContain('listEndUsers');
  });

  test('a call is checked like any request, and the reason of a refusal is reported', async () => {
    const { agentId: other } = await givenAgent(parley.db, orgId);
    const { value: agentKey } = await parley.key(orgId, { scope: 'agent', agentId, permissions: ['triggers'] });
    const refused = await tool('startConversation', { agent_id: other, trigger_id: triggerId }, agentKey);
    expect(refused).toMatchObject({ isError: true, result: { status: 403, code: 'agent_mismatch' } });
    expect(await tool('listEndUsers', {}, agentKey)).toMatchObject({ result: { code: 'permission_missing' } });
    const faulty = await tool('startConversation', { agent_id: agentId, trigger_id: triggerId, body: { nonsense: 1 } });
    expect(faulty).toMatchObject({ isError: true, result: { code: 'validation_failed' } });
    const crossing = await tool('readRun', { agent_id: '../..', trigger_id: triggerId, run_id: 'a/b?c' });
    expect(crossing).toMatchObject({ isError: true, result: { code: 'agent_not_found' } });
  });

  test('an unknown argument is refused before any endpoint is called', async () => {
    const runs = async () => (await parley.db.execute(sql`SELECT count(*)::int AS n FROM run`)).rows[0]!['n'];
    const before = await runs();
    const given = { agent_id: agentId, trigger_id: triggerId, message: 'Hello' };
    const { isError, result } = await tool('startConversation', given);
    expect({ isError, code: result.code, errors: result.errors }).toMatchObject({
      isError: true,
      code: 'validation_failed',
      errors: [{ pointer: '/message', code: 'unknown_field' }],
    });
    expect(result.type).toMatch(/\/docs\/problems\/validation_failed$/);
    expect(result.request_id).toMatch(/^req_/);
    expect((await tool('readRun', { agent_id: agentId })).result.errors).toMatchObject([
      { pointer: '/trigger_id', code: 'required' },
      { pointer: '/run_id', code: 'required' },
    ]);
    expect(await runs()).toBe(before);
  });

  test("a page of another site is refused, but a program and Parley's own page are not", async () => {
    const ping = (headers: Record<string, string>) =>
      parley.call('POST', '/mcp', {
        key,
        body: { jsonrpc: '2.0', id: ++calls, method: 'ping' },
        headers: { ...ACCEPT, ...headers },
      });
    for (const origin of ['https://evil.example', 'null', 'http://localhost.evil.example'])
      expect((await ping({ origin })).body.code).toBe('origin_refused');
    expect((await ping({})).status).toBe(200);
    expect((await ping({ origin: parley.url })).status).toBe(200);
  });

  test('the rate limits of the endpoint apply to its tool', async () => {
    const { value: busy } = await parley.key(orgId);
    const given = { agent_id: agentId, trigger_id: triggerId, body: { dry_run: true } };
    const all = await Promise.all(Array.from({ length: 25 }, () => tool('startConversation', given, busy)));
    expect(all.filter(({ result }) => result.code === 'rate_limited')).toHaveLength(5);
  });

  test('a missing or wrong key gets 401', async () => {
    expect((await parley.call('POST', '/mcp', { body: {} })).body.code).toBe('authorization_missing');
    expect((await rpc('ping', {}, 'nonsense')).body.code).toBe('key_invalid');
  });
});

describe('an invalid message', () => {
  test.each([
    ['another method', 'GET', undefined, 405],
    ['no JSON-RPC', 'POST', {}, 422],
    ['broken JSON', 'POST', '{', 400],
  ])('an invalid MCP message is refused: %s', async (_, method, body, status) => {
    const answer = await parley.call(method, '/mcp', { key, ...(body !== undefined && { body }) });
    expect(answer.status).toBe(status);
  });

  test('a notification with invalid parameters gets no answer, because it has no id', async () => {
    const body = { jsonrpc: '2.0', method: 'tools/call', params: { arguments: 1 } };
    const answer = await parley.call('POST', '/mcp', { key, headers: ACCEPT, body });
    expect([answer.status, answer.body]).toEqual([202, null]);
  });

  test('a call of an unknown tool is a protocol error', async () => {
    const { body } = await rpc('tools/call', { name: 'nonsense', arguments: {} });
    expect(body.error.message).toContain('nonsense');
  });

  test.each([
    ['tools/call', { name: 'getMe', arguments: '{"a":1}' }, '/params/arguments: Must be an object.'],
    ['tools/call', { name: 'getMe', arguments: [] }, '/params/arguments: Must be an object.'],
    ['tools/call', { arguments: {} }, '/params/name: This field is required.'],
    [
      'initialize',
      { protocolVersion: 1, capabilities: {}, clientInfo: { name: 'a', version: 'b' } },
      '/params/protocolVersion: Must be a string.',
    ],
    ['initialize', { protocolVersion: '2025-06-18', capabilities: {} }, '/params/clientInfo: This field is required.'],
    [
      'initialize',
      { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'a' } },
      '/params/clientInfo/version: This field is required.',
    ],
    [
      'initialize',
      { protocolVersion: '2025-06-18', clientInfo: { name: 'a', version: 'b' } },
      '/params/capabilities: This field is required.',
    ],
  ])('invalid parameters of %s are refused in our words', async (method, params, text) => {
    const answer = await rpc(method, params);
    const { error } = answer.body;
    expect(error).toMatchObject({ code: -32602, data: { status: 422, code: 'validation_failed' } });
    expect(error.message).toContain(text);
    expect(error.data.errors).toHaveLength(1);
    expect(error.data.request_id).toBe(answer.headers.get('x-request-id'));
  });
});
