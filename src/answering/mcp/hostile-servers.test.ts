import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { cpuMsUntil } from '../../../test/cpu-time.ts';
import { createEgress, type Egress } from '../../kernel/egress.ts';
import { listMcpTools } from './list-mcp-tools.ts';
import { callMcpTool } from './call-mcp-tool.ts';
import { TURN_CONTEXT } from '../../../test/turn-context.ts';

/** Servers that speak the protocol and mean harm, on a real port. */
type Message = { id?: number; method?: string };
type Behave = (message: Message, response: ServerResponse) => unknown;

let egress: Egress;
let behave: Behave;
let asked: (string | undefined)[];
let gone: number;
const server = createServer((request, response) => void answerAs(request, response));

async function answerAs(request: IncomingMessage, response: ServerResponse): Promise<void> {
  response.on('close', () => (gone += 1));
  const text = Buffer.concat(await request.toArray()).toString();
  const message = (text === '' ? {} : JSON.parse(text)) as Message;
  asked.push(message.method ?? request.method);
  const answer = behave(message, response);
  if (answer === undefined) return;
  response.setHeader('content-type', 'application/json');
  response.end(
    typeof answer === 'string' ? answer : JSON.stringify({ jsonrpc: '2.0', id: message.id, ...(answer as object) }),
  );
}
let url: string;

beforeEach(async () => {
  [asked, gone] = [[], 0];
  egress = createEgress({ allow: ['127.0.0.1'] });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
});
afterEach(async () => {
  await egress.close();
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
});

const place = (timeoutMs = 20_000) => ({
  egress,
  url,
  authority: { signing: [], headers: {}, hidden: [] },
  timeoutMs,
  signal: new AbortController().signal,
});

const GREETING = {
  protocolVersion: '2025-06-18',
  capabilities: { tools: {} },
  serverInfo: { name: 'evil', version: '1' },
};
/** Greets as servers do, and does with the rest what the test says. */
const greetThen =
  (rest: Behave): Behave =>
  (message, response) => {
    if (message.method === 'server/discover') return { error: { code: -32601, message: 'Unknown method.' } };
    if (message.method === 'initialize') return { result: GREETING };
    if (message.method?.startsWith('notifications/')) return void response.writeHead(202).end();
    return rest(message, response);
  };
const listing = (tools: unknown[], more: object = {}): Behave => greetThen(() => ({ result: { tools, ...more } }));
const tool = (inputSchema: object = { type: 'object' }, name = 'orders') => ({
  name,
  description: 'Orders.',
  inputSchema,
});
const call = (timeoutMs?: number) =>
  callMcpTool(
    place(timeoutMs),
    { server: 'evil', tool: 'orders', pin: 'x' },
    {
      tool: 'orders',
      arguments: {},
      context: { ...TURN_CONTEXT, idempotency_key: 'k', attempt: 1 },
    },
  );

const nested = (depth: number): object => JSON.parse(`{"type":"object","x":${'['.repeat(depth)}${']'.repeat(depth)}}`);

describe('a list', () => {
  test('a list of many tools is cut, and the number of missing tools is reported', async () => {
    behave = listing(Array.from({ length: 500 }, (_, number) => tool({ type: 'object' }, `tool_${number}`)));
    const { tools, more } = await listMcpTools(place());
    expect([tools.length, more]).toEqual([200, 300]);
  });

  test('the tools of a page after the first thousand are ignored before the library validates them', async () => {
    behave = listing(Array.from({ length: 20_000 }, (_, at) => ({ name: `t${at}`, inputSchema: { type: 'object' } })));
    const { tools, more } = await listMcpTools(place());
    expect([tools.length, more]).toEqual([200, 800]);
  });

  test('only a few pages of an endless list are read', async () => {
    behave = listing([tool()], { nextCursor: 'again' });
    expect((await listMcpTools(place())).tools).toHaveLength(1);
    expect(asked.filter((method) => method === 'tools/list')).toHaveLength(8);
  });

  test('a list of more than a megabyte is not read', async () => {
    behave = listing([tool({ type: 'object', description: 'x'.repeat(2_000_000) })]);
    expect(await listMcpTools(place())).toMatchObject({ tools: [], error: expect.stringContaining('larger') });
  });

  test.each([
    ['deep', nested(40), /24 levels/],
    ['large', { type: 'object', description: 'x'.repeat(20_000) }, /16,000 characters/],
  ])('a schema that is too %s shows why it cannot be chosen', async (_, schema, fault) => {
    behave = listing([tool(schema), tool({ type: 'object' }, 'fine')]);
    const { tools } = await listMcpTools(place());
    expect(tools[0]).toMatchObject({ name: 'orders', parameters: {}, fault: expect.stringMatching(fault) });
    expect(tools[1]!.fault).toBeNull();
  });

  test('a schema that would exhaust the stack causes only an error or a fault', async () => {
    behave = greetThen(({ id }) => {
      const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
      return `{"jsonrpc":"2.0","id":${id},"result":{"tools":[{"name":"orders","inputSchema":{"type":"object","properties":${deep}}}]}}`;
    });
    const { tools, error } = await listMcpTools(place());
    expect(error ?? tools[0]!.fault).toEqual(expect.any(String));
  });

  test('circular references and slow patterns cost nothing in a list, because it compiles no schema', async () => {
    const trap = { type: 'string', pattern: '^(a+)+$', default: `${'a'.repeat(60)}!` };
    const schema = { type: 'object', properties: { a: trap, b: { $ref: '#' } }, $defs: { c: { $ref: '#/$defs/c' } } };
    behave = listing([{ ...tool(schema), outputSchema: schema }]);
    const { tools } = await listMcpTools(place());
    expect(tools[0]!.fault).toBeNull();
    const pinned = tools[0]!.pin;
    behave = greetThen(({ method }) =>
      method === 'tools/list'
        ? { result: { tools: [{ ...tool(schema), outputSchema: schema }] } }
        : { result: { content: [], structuredContent: { a: `${'a'.repeat(60)}!` } } },
    );
    const spent = await cpuMsUntil(async () => {
      const answer = await callMcpTool(
        place(),
        { server: 'evil', tool: 'orders', pin: pinned },
        {
          tool: 'orders',
          arguments: {},
          context: { ...TURN_CONTEXT, idempotency_key: 'k', attempt: 1 },
        },
      );
      expect(answer).toMatchObject({ error: null, result: { a: `${'a'.repeat(60)}!` } });
    });
    expect(spent).toBeLessThan(1_000);
  });
});

describe('a connection', () => {
  test('the connection follows no redirect, and reports it', async () => {
    behave = (_, response) => void response.writeHead(307, { location: 'http://169.254.169.254/latest' }).end();
    expect(await listMcpTools(place())).toMatchObject({ error: expect.stringContaining('redirect') });
    behave = greetThen((_, response) => void response.writeHead(307, { location: '/elsewhere' }).end());
    expect(await call()).toMatchObject({ error: expect.stringContaining('redirect'), result: null });
  });

  test('no connection to a non-public address is made', async () => {
    egress = createEgress({ allow: [] });
    expect(await listMcpTools(place())).toMatchObject({ tools: [], error: expect.any(String) });
    expect(asked).toEqual([]);
  });

  test('a connection to a silent, slow or endless server ends after its time limit', async () => {
    behave = () => undefined;
    expect(await call(300)).toMatchObject({ error: expect.stringContaining('in time'), status: null });
    behave = greetThen((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const timer = setInterval(() => response.write(': still here\n\n'), 20);
      response.on('close', () => clearInterval(timer));
    });
    expect(await call(300)).toMatchObject({ error: expect.stringContaining('in time') });
    // Nothing stays open: the server sees that we have gone.
    await expect.poll(() => gone).toBe(asked.length);
  });

  test('only a few requests of a server in its stream are answered', async () => {
    behave = greetThen((message, response) => {
      if (message.method === undefined) return void response.writeHead(202).end();
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (let id = 0; id < 2_000; id++) {
        response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' })}\n\n`);
      }
    });
    await call(3_000);
    expect(asked.length).toBeLessThan(40);
  });

  test('the connection opens no stream of notifications, and does not reconnect a broken one', async () => {
    behave = greetThen((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end('id: 1\nretry: 1\ndata:\n\n');
    });
    await call(300);
    expect(asked).not.toContain('GET');
  });

  test.each([
    ['a page', 200, { 'content-type': 'text/html' }, '<h1>Hello</h1>', /not valid MCP/],
    ['half an answer', 200, { 'content-type': 'application/json' }, '{"jsonrpc":"2.0",', /not valid MCP/],
    ['a refusal', 401, {}, 'Who are you?', /returned 401/],
    ['an error', 500, {}, 'Oops', /returned 500/],
  ])('the error describes the invalid response: %s', async (_, status, headers, text, error) => {
    behave = (_message, response) => void response.writeHead(status, headers).end(text);
    expect((await listMcpTools(place())).error).toMatch(error);
  });

  test('a session ID of 10 kB either works or fails, without side effects', async () => {
    behave = (message, response) => {
      response.setHeader('mcp-session-id', 'x'.repeat(10_000));
      return greetThen(() => ({ result: { tools: [tool()] } }))(message, response);
    };
    const { error, tools } = await listMcpTools(place());
    expect(error === null ? tools : [error]).toHaveLength(1);
  });
});
