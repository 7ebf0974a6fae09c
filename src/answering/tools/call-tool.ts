import { setTimeout as pause } from 'node:timers/promises';
import type { ToolCall } from '../../../contract/tools.ts';
import type { CallTool, ToolAnswer, ToolRequest } from '../../engine/providers/run-tool.ts';
import { type Egress, EgressError } from '../../kernel/egress.ts';
import { signWebhook } from '../../kernel/standard-webhooks.ts';
import type { Logger } from '../../kernel/log.ts';
import { type Authority, type AuthorityDeps, findAuthority, readAnswer, secretsIn } from './tool-signature.ts';

const MAX_BYTES = 64 * 1024;
const TIMEOUT_SECONDS = 10;
/** The pause before the second attempt. Each later pause is twice as long. */
const FIRST_PAUSE_MS = 300;

type CallToolDeps = AuthorityDeps & {
  egress: Pick<Egress, 'request' | 'fetchWith'>;
  log: Pick<Logger, 'error'>;
};

/**
 * Calls a tool at the customer's address. The call is signed like a webhook and uses the stored credentials of this
 * tool.
 */
export const createCallTool = (deps: CallToolDeps): CallTool =>
  async function callTool(request) {
    try {
      return await call(deps, request);
    } catch (error) {
      if (request.signal.aborted) throw request.signal.reason;
      deps.log.error({ err: error, tool: request.tool.name, run_id: request.context.run_id }, 'a tool was not called');
      return { ...NOTHING_SENT, error: 'The tool could not be called.' };
    }
  };

async function call(deps: CallToolDeps, request: ToolRequest): Promise<ToolAnswer> {
  const { tool, context, signal } = request;
  const retries = tool.read_only === true ? (tool.retries ?? 0) : 0;
  const authority = await findAuthority(deps, tool, context);
  if ('fault' in authority) return { ...NOTHING_SENT, error: authority.fault };
  for (let attempt = 1; ; attempt++) {
    const body: ToolCall = {
      tool: tool.name,
      arguments: request.arguments,
      context: { ...contextFor(tool, context, authority), attempt },
    };
    const answer = await attemptCall(deps.egress, request, authority, body);
    if (answer.error === null || attempt > retries || !mayPass(answer.status)) return answer;
    await pause(FIRST_PAUSE_MS * 2 ** (attempt - 1), undefined, { signal });
  }
}

/**
 * An MCP server without a secret of the agent may belong to anyone, so it does not receive the identity of the person.
 */
const contextFor = (
  { mcp }: ToolRequest['tool'],
  context: ToolRequest['context'],
  { signing }: Authority,
): ToolRequest['context'] =>
  mcp && signing.length === 0
    ? { ...context, end_user: { ...context.end_user, external_id: null, address: null } }
    : context;

const NOTHING_SENT: ToolAnswer = { sent: null, attempts: 0, status: null, result: null, error: null };

async function attemptCall(
  egress: CallToolDeps['egress'],
  { tool, signal, trace }: ToolRequest,
  authority: Authority,
  call: ToolCall,
): Promise<ToolAnswer> {
  const timeoutMs = (tool.timeout_seconds ?? TIMEOUT_SECONDS) * 1_000;
  if (!tool.mcp) return send(egress, { url: tool.url, timeoutMs, signal, trace }, authority, call);
  // The first tool that needs the protocol's library loads it.
  const { callMcpTool } = await import('../mcp/call-mcp-tool.ts');
  return callMcpTool({ egress, url: tool.url, timeoutMs, signal, authority, trace }, tool.mcp, call);
}

async function send(
  egress: Pick<Egress, 'request'>,
  { url, timeoutMs, signal, trace }: { url: string; timeoutMs: number; signal: AbortSignal; trace: string | undefined },
  authority: Authority,
  call: ToolCall,
): Promise<ToolAnswer> {
  const { signing, headers: credentials, hidden } = authority;
  const secrets = secretsIn(url, authority);
  const { idempotency_key: key, attempt } = call.context;
  // The body is created once, so that the signed bytes are exactly the sent bytes.
  const body = JSON.stringify(call);
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json',
    'user-agent': 'Parley',
    'idempotency-key': key,
    ...(trace !== undefined && { traceparent: trace }),
    ...(signing.length > 0 && signWebhook(signing, key, new Date(), body)),
  };
  const made = { sent: { url, headers, body }, attempts: attempt };
  try {
    const answer = await egress.request({
      url,
      method: 'POST',
      headers: { ...headers, ...credentials },
      body,
      secrets: hidden,
      signal,
      timeoutMs,
      maxBytes: MAX_BYTES,
    });
    const { status } = answer;
    const isGood = status >= 200 && status <= 299;
    const error = isGood ? null : `The tool returned ${status}.`;
    return { ...made, status, result: readAnswer(answer.body.toString('utf8'), secrets), error };
  } catch (error) {
    if (signal.aborted || !(error instanceof EgressError)) throw error;
    return { ...made, status: null, result: null, error: error.message };
  }
}

/** True if a retry may succeed, because of no response, too many calls, or a fault of the server. */
const mayPass = (status: number | null): boolean => status === null || status === 429 || status >= 500;
