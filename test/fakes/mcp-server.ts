import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type CallToolResult,
  createMcpHandler,
  Server,
  type Tool,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';

export type McpRequest = { method: string; headers: IncomingHttpHeaders; body: Buffer };

/** The official MCP server library on a real port, with tools that may change at any time. */
export type FakeMcpServer = {
  url: string;
  tools: Tool[];
  requests: McpRequest[];
  /** The received requests that call a tool. */
  calls(): McpRequest[];
  answer: (name: string, args: Record<string, unknown>) => CallToolResult;
  /** True if the server uses sessions, like servers of the 2025 protocol, and false if each request is independent. */
  sessions: boolean;
  /** The sessions that have started and not ended. */
  open: Set<string>;
  stop(): Promise<void>;
};

export async function startMcpServer(): Promise<FakeMcpServer> {
  const fake: Omit<FakeMcpServer, 'url' | 'stop'> = {
    tools: [],
    requests: [],
    calls: () => fake.requests.filter(({ body }) => body.includes('"tools/call"')),
    answer: () => ({ content: [{ type: 'text', text: '{"status":"shipped"}' }] }),
    sessions: false,
    open: new Set(),
  };
  const serve = (): Server => {
    const server = new Server({ name: 'shop', version: '3.1' }, { capabilities: { tools: {} } });
    server.setRequestHandler('tools/list', () => ({ tools: fake.tools }));
    server.setRequestHandler('tools/call', ({ params }) => fake.answer(params.name, params.arguments ?? {}));
    return server;
  };
  const handler = createMcpHandler(serve);
  const transports = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const inSession = async (request: Request): Promise<Response> => {
    const known = transports.get(request.headers.get('mcp-session-id') ?? '');
    if (known) return known.handleRequest(request);
    const transport: WebStandardStreamableHTTPServerTransport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id: string) => {
        fake.open.add(id);
        transports.set(id, transport);
      },
      onsessionclosed: (id: string) => void fake.open.delete(id),
    });
    await serve().connect(transport);
    return transport.handleRequest(request);
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = Buffer.concat(await request.toArray());
    fake.requests.push({ method: request.method!, headers: request.headers, body });
    const asked = new Request(`http://${request.headers.host}${request.url}`, {
      method: request.method!,
      headers: request.headers as Record<string, string>,
      ...(body.length > 0 && { body }),
    });
    const made = await (fake.sessions ? inSession(asked) : handler.fetch(asked));
    response.writeHead(made.status, Object.fromEntries(made.headers));
    for await (const chunk of made.body ?? []) response.write(chunk);
    response.end();
  };
  const http = createServer((request, response) => void answer(request, response));
  await new Promise<void>((done) => http.listen(0, '127.0.0.1', done));
  return Object.assign(fake, {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    stop: async () => {
      http.closeAllConnections();
      await new Promise((done) => http.close(done));
    },
  });
}
