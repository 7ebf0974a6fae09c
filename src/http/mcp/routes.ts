import { createMcpHandler, ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server';
import inject from 'light-my-request';
import { Type } from 'typebox';
import type { FastifyRequest } from 'fastify';
import { type Fault, PROBLEMS, Refusal } from '../../../contract/problems.ts';
import { isOurs } from '../../access/sessions/origin.ts';
import type { Admission } from '../../access/types.ts';
import type { Route } from '../route/route.ts';
import type { Dispatch } from '../edge/server.ts';
import { faultsOf, isFor, requestOf, type Tool, toolsOf } from './tools.ts';

export type McpDeps = {
  readonly baseUrl: string;
  readonly version: string;
  readonly allRoutes: () => readonly Route[];
  /** The whole server as a function: a tool call passes the same gate, checks, limits and log as any request. */
  readonly dispatch: Dispatch;
};

/**
 * The public API for agents of other vendors: Model Context Protocol over HTTP, without sessions, each request with an
 * API key. Every tool is an endpoint of the reference, so this file makes no decisions and grants nothing more.
 */
export function mcpRoutes(deps: McpDeps): Route[] {
  let tools: Tool[] | null = null;
  const handler = createMcpHandler(({ authInfo }) => {
    tools ??= toolsOf(deps.allRoutes());
    return serve(deps, tools, authInfo!.token, authInfo!.extra!.admission as Admission);
  });
  return [
    {
      method: 'POST',
      path: '/mcp',
      access: {},
      operation: { id: 'callMcp', summary: 'Model Context Protocol', tag: 'System', hidden: true },
      body: Message,
      responses: { 200: Type.Unknown(), 202: null },
      problems: ['origin_refused'],
      async handle(request, reply) {
        // Browsers send the origin of the page, programs send none: a page of another site must not use a key that it
        // was given.
        const { origin } = request.headers;
        if (origin !== undefined && !isOurs(origin, request, deps.baseUrl)) throw new Refusal('origin_refused');
        const answered = await handler.fetch(webRequest(deps.baseUrl, request), {
          parsedBody: request.body,
          authInfo: {
            token: request.headers.authorization!,
            clientId: request.admission.caller.keyId,
            scopes: [],
            extra: { admission: request.admission },
          },
        });
        const type = answered.headers.get('content-type');
        if (type) reply.header('content-type', type);
        return reply.code(answered.status).send(await answered.text());
      },
    },
  ];
}

/** One JSON-RPC message. The protocol's library validates its content. */
const Message = Type.Object({ jsonrpc: Type.Literal('2.0') }, { additionalProperties: true });

function webRequest(baseUrl: string, request: FastifyRequest): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers))
    if (typeof value === 'string' && (name === 'accept' || name === 'content-type' || name.startsWith('mcp-')))
      headers.set(name, value);
  return new Request(`${baseUrl}/mcp`, { method: 'POST', headers, body: JSON.stringify(request.body) });
}

function serve({ version, dispatch }: McpDeps, tools: Tool[], authorization: string, admission: Admission): Server {
  const server = new Server(
    { name: 'parley', title: 'Parley', version },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  );
  server.setRequestHandler('tools/list', () => ({
    tools: tools.filter((tool) => isFor(tool, admission)).map(({ definition }) => definition),
  }));
  server.setRequestHandler('tools/call', async ({ params }) => {
    const tool = tools.find(({ definition }) => definition.name === params.name);
    if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${params.name}.`);
    const faults = faultsOf(tool, params.arguments ?? {});
    if (faults.length > 0) return refused(tool, faults);
    const { headers, ...asked } = requestOf(tool, params.arguments ?? {});
    // The tool call has the caller's address: the key's networks, rate limits and audit log use it.
    const remoteAddress = admission.from ?? '';
    const answered = await inject(dispatch, { ...asked, headers: { ...headers, authorization }, remoteAddress });
    const text = answered.payload === '' ? `${answered.statusCode}` : answered.payload;
    return { content: [{ type: 'text', text }], isError: answered.statusCode >= 400 };
  });
  return server;
}

/** The same error as from the endpoint. Nothing is called: an argument in the wrong place would be ignored silently. */
const refused = ({ definition }: Tool, errors: Fault[]) => {
  const known = Object.keys(definition.inputSchema.properties ?? {}).join(', ');
  const detail = `${definition.name} takes ${known || 'no arguments'}.`;
  const problem = { title: PROBLEMS.validation_failed.title, status: 422, code: 'validation_failed', detail, errors };
  return { content: [{ type: 'text' as const, text: JSON.stringify(problem) }], isError: true };
};

const INSTRUCTIONS =
  'Parley starts conversations of AI agents with people, sends messages on connected channels, keeps end users and runs ' +
  'campaigns. The tools are those that the API key may use; getMe tells what it is. A refusal is a problem document ' +
  'whose "code" and "detail" say what to do next. Give acting calls an idempotency_key, so that repeating them is safe.';
