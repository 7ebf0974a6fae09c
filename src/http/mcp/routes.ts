import { setImmediate } from 'node:timers/promises';
import { Type } from 'typebox';
import type { FastifyRequest } from 'fastify';
import { Refusal } from '../../../contract/problems.ts';
import { isOurs } from '../../access/sessions/origin.ts';
import { callerLeft } from '../edge/caller-left.ts';
import type { Route } from '../route/route.ts';
import type { createHandler, McpDeps } from './handler.ts';
import { refuseParams } from './refuse-params.ts';

/**
 * The public API for agents of other vendors (Model Context Protocol over HTTP), without sessions, with an API key in
 * each request. Every tool is an endpoint of the reference, so this file decides nothing and grants no additional
 * access.
 */
export function mcpRoutes(deps: McpDeps): Route[] {
  let made: Promise<ReturnType<typeof createHandler>> | undefined;
  const handler = () => (made ??= makeHandler(deps));
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
        // Browsers send the origin of the page, but programs send no origin. A page of another site must not use a key
        // that it received.
        const { origin } = request.headers;
        if (origin !== undefined && !isOurs(origin, request, deps.baseUrl)) throw new Refusal('origin_refused');
        const refused = refuseParams(request.body as Record<string, unknown>, request.id, deps.baseUrl);
        if (refused) return reply.send(refused);
        const left = callerLeft(reply);
        const answered = await (
          await handler()
        ).fetch(webRequest(deps.baseUrl, request, left), {
          parsedBody: request.body,
          authInfo: {
            token: request.headers.authorization!,
            clientId: request.admission.caller.keyId,
            scopes: [],
            extra: { admission: request.admission, requestId: request.id },
          },
        });
        const type = answered.headers.get('content-type');
        if (type) reply.header('content-type', type);
        const text = await answered.text();
        return left.aborted ? reply.hijack() : reply.code(answered.status).send(text);
      },
    },
  ];
}

/** Loading the library and describing the tools each take tens of milliseconds, so other requests run between them. */
async function makeHandler(deps: McpDeps): Promise<ReturnType<typeof createHandler>> {
  const file = await import('./handler.ts');
  await setImmediate();
  return file.createHandler(deps);
}

/** A message of JSON-RPC. The library of the protocol validates the content of the message. */
const Message = Type.Object({ jsonrpc: Type.Literal('2.0') }, { additionalProperties: true });

function webRequest(baseUrl: string, request: FastifyRequest, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers))
    if (typeof value === 'string' && (name === 'accept' || name === 'content-type' || name.startsWith('mcp-')))
      headers.set(name, value);
  return new Request(`${baseUrl}/mcp`, { method: 'POST', headers, body: JSON.stringify(request.body), signal });
}
