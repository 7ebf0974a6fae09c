import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, beforeEach, afterEach, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/app.ts';
import { givenAgent, givenOrganization, givenTrigger } from '../../../test/factories.ts';

/** The protocol's own client over real HTTP. It validates each structured result against the tool's output schema. */
let parley: TestApp;
/** No worker runs in this program, so each call that waits for an answer waits for its whole time. */
let silent: TestApp;
const logged: { route?: string }[] = [];

beforeAll(async () => {
  [parley, silent] = await Promise.all([
    startTestApp(),
    startTestApp({ LOG_LEVEL: 'info' }, { role: 'api', lines: logged }),
  ]);
});
afterAll(() => Promise.all([parley.stop(), silent.stop()]));

type Place = { agent_id: string; trigger_id: string };

async function connect(to: TestApp, mode: 'legacy' | 'auto'): Promise<{ client: Client; at: Place }> {
  const orgId = await givenOrganization(to.db);
  const { agentId } = await givenAgent(to.db, orgId);
  const triggerId = await givenTrigger(to.db, orgId, agentId);
  const { value } = await to.key(orgId, { permissions: ['triggers', 'channels', 'end_users'] });
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  const requestInit = { headers: { authorization: `Bearer ${value}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${to.url}/mcp`), { requestInit }));
  return { client, at: { agent_id: agentId, trigger_id: triggerId } };
}

describe.each(['legacy', 'auto'] as const)('the official client, version negotiation "%s"', (mode) => {
  let client: Client;
  let at: Place;
  beforeEach(async () => {
    ({ client, at } = await connect(parley, mode));
  });
  afterEach(() => client.close());

  const call = (name: string, args: Record<string, unknown> = {}) => client.callTool({ name, arguments: args });

  test('the client gets no tool for a stream of events', async () => {
    const { tools } = await client.listTools();
    const names = tools.map(({ name }) => name);
    expect(names).toContain('startConversation');
    expect(names).not.toContain('followRun');
    await expect(call('followRun', { ...at, run_id: 'run_1' })).rejects.toThrow('There is no tool followRun');
  });

  test('the client gets an output schema for each tool that returns a body, and only for those', async () => {
    const { tools } = await client.listTools();
    const without = tools.filter(({ outputSchema }) => outputSchema === undefined).map(({ name }) => name);
    expect(without).toEqual(['eraseEndUser']);
    const types = new Set(tools.flatMap(({ outputSchema }) => outputSchema?.type ?? []));
    expect([...types]).toEqual(['object']);
  });

  test('the client gets structured results that match the output schemas', async () => {
    await client.listTools();
    const started = await call('startConversation', { ...at, body: { message: 'Hello' }, wait: 20 });
    expect(started).toMatchObject({ structuredContent: { agent_id: at.agent_id, messages: [{ role: 'agent' }] } });
    const run = started.structuredContent as { id: string; end_user_id: string };
    const later = await call('startConversation', { ...at, body: { end_user: { external_id: mode } } });
    expect(later.structuredContent).toMatchObject({ status: 'queued' });
    const planned = await call('startConversation', { ...at, body: { dry_run: true } });
    expect(planned.structuredContent).toMatchObject({ dry_run: true });
    const read = await call('readRun', { ...at, run_id: run.id, include: 'messages' });
    expect(read.structuredContent).toMatchObject({ id: run.id });
    expect(JSON.parse((read.content as { text: string }[])[0]!.text)).toEqual(read.structuredContent);
    for (const [name, args] of [
      ['getMe', {}],
      ['listRuns', at],
      ['listEndUsers', {}],
      ['listChannels', { agent_id: at.agent_id }],
      ['upsertEndUser', { external_id: mode, body: { name: 'Asha' } }],
      ['exportEndUser', { end_user_id: run.end_user_id }],
      ['cancelRun', { ...at, run_id: run.id }],
    ] as const)
      expect([name, await call(name, args)]).toMatchObject([name, { structuredContent: expect.any(Object) }]);
    expect(await call('eraseEndUser', { end_user_id: run.end_user_id })).toMatchObject({
      isError: false,
      content: [{ type: 'text' }],
    });
  });

  test('the client gets a refusal as text, without a structured result', async () => {
    await client.listTools();
    const refused = await call('readRun', { ...at, run_id: 'run_1' });
    expect(refused.isError).toBe(true);
    expect(refused).not.toHaveProperty('structuredContent');
  });

  test.each([['20'], [0], [26], [1.5], [null]])('the client gets an error for the wait time %j', async (wait) => {
    const refused = await call('startConversation', { ...at, wait });
    const problem = JSON.parse((refused.content as { text: string }[])[0]!.text);
    expect(problem).toMatchObject({ code: 'validation_failed', errors: [{ pointer: '/wait' }] });
  });
});

describe('a client that gives up', () => {
  test('a client that gives up ends the request of its tool call', async () => {
    const { client, at } = await connect(silent, 'auto');
    const leave = new AbortController();
    const calling = client.callTool(
      { name: 'startConversation', arguments: { ...at, wait: 25 } },
      { signal: leave.signal },
    );
    calling.catch(() => {});
    const runs = async () => (await client.callTool({ name: 'listRuns', arguments: at })).structuredContent;
    await expect.poll(runs).toMatchObject({ data: [{ status: 'queued' }] });
    const lines = () => logged.filter(({ route }) => route === '/api/triggers/:agent_id/:trigger_id');
    expect(lines()).toEqual([]);
    leave.abort();
    expect(await Promise.allSettled([calling])).toMatchObject([{ status: 'rejected' }]);
    await expect.poll(lines, { timeout: 15_000 }).toHaveLength(1);
    await client.close();
  });

  test('a subscription to tool changes is refused, because the tools of a key do not change', async () => {
    const { value: key } = await parley.key(await givenOrganization(parley.db));
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const answer = await parley.call('POST', '/mcp', {
      key,
      headers: {
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'subscriptions/listen',
      },
      body: {
        jsonrpc: '2.0',
        id: 1,
        method: 'subscriptions/listen',
        params: { notifications: { toolsListChanged: true }, _meta },
      },
    });
    expect(answer.body).toMatchObject({ error: { message: 'Subscription limit reached' } });
  });
});
