import { createMcpHandler, ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server';
import inject from 'light-my-request';
import { type Fault, Refusal } from '../../../contract/problems.ts';
import type { Admission } from '../../access/types.ts';
import type { Dispatch } from '../edge/http-deps.ts';
import { problemBody } from '../edge/problems.ts';
import type { Route } from '../route/route.ts';
import { faultsOf, isFor, requestOf, type Tool, toolsOf } from './tools.ts';

export type McpDeps = {
  readonly baseUrl: string;
  readonly version: string;
  readonly allRoutes: () => readonly Route[];
  /**
   * The whole server as a function, so that a tool call passes the same gate, checks, limits and log as any request.
   */
  readonly dispatch: Dispatch;
};

/**
 * The protocol's library with Parley's tools, in a separate file that the first call loads, because most nodes get no
 * such call.
 */
export function createHandler(deps: McpDeps): ReturnType<typeof createMcpHandler> {
  const tools = toolsOf(deps.allRoutes());
  return createMcpHandler(
    ({ authInfo }) => serve(deps, tools, authInfo!.token, authInfo!.extra as Received),
    // The tools of a key change only with its permissions, so a client has nothing to subscribe to.
    { maxSubscriptions: 0 },
  );
}

type Received = { admission: Admission; requestId: string };

function serve(deps: McpDeps, tools: Tool[], authorization: string, { admission, requestId }: Received): Server {
  const { version, dispatch, baseUrl } = deps;
  const server = new Server(
    { name: 'parley', title: 'Parley', version },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  );
  server.setRequestHandler('tools/list', () => ({
    tools: tools.filter((tool) => isFor(tool, admission)).map(({ definition }) => definition),
  }));
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq: { signal } }) => {
    const tool = tools.find(({ definition }) => definition.name === params.name);
    if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${params.name}.`);
    const faults = faultsOf(tool, params.arguments ?? {});
    if (faults.length > 0) return refused(tool, faults, requestId, baseUrl);
    const { headers, ...asked } = requestOf(tool, params.arguments ?? {});
    // The tool call uses the caller's address, because the key's networks, rate limits and audit log depend on it.
    const remoteAddress = admission.from ?? '';
    const { statusCode, payload } = await inject(abortable(dispatch, signal), {
      ...asked,
      headers: { ...headers, authorization },
      remoteAddress,
    });
    const isError = statusCode >= 400;
    return {
      content: [{ type: 'text', text: payload === '' ? `${statusCode}` : payload }],
      isError,
      ...(!isError &&
        tool.definition.outputSchema && { structuredContent: JSON.parse(payload) as Record<string, unknown> }),
    };
  });
  return server;
}

/** If the client aborts a tool call, the server aborts the request to the endpoint. */
const abortable =
  (dispatch: Dispatch, signal: AbortSignal): Dispatch =>
  (request, response) => {
    signal.addEventListener('abort', () => response.destroy(), { once: true });
    dispatch(request, response);
  };

/**
 * Returns the same error as the endpoint would return. No endpoint is called, because an argument in the wrong place
 * would be ignored silently.
 */
const refused = ({ definition }: Tool, errors: Fault[], requestId: string, baseUrl: string) => {
  const known = Object.keys(definition.inputSchema.properties ?? {}).join(', ');
  const detail = `${definition.name} takes ${known || 'no arguments'}.`;
  const problem = problemBody(new Refusal('validation_failed', detail, { errors }), requestId, baseUrl);
  return { content: [{ type: 'text' as const, text: JSON.stringify(problem) }], isError: true };
};

const INSTRUCTIONS =
  'Parley starts conversations of AI agents with people, sends messages on connected channels, keeps end users and runs ' +
  'campaigns. The tools are those that the API key may use; getMe tells what it is. A refusal is a problem document ' +
  'whose "code" and "detail" say what to do next. Give acting calls an idempotency_key, so that repeating them is safe.';
