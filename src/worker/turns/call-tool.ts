import { setTimeout as pause } from 'node:timers/promises';
import type { SetToolCredentialsBody } from '../../../contract/dashboard/tools.ts';
import type { ToolCall } from '../../../contract/tools.ts';
import type { CallTool, ToolAnswer, ToolRequest } from '../../engine/providers/run-tool.ts';
import { type Egress, EgressError } from '../../kernel/egress.ts';
import { type Key, SealError } from '../../kernel/seal.ts';
import { signWebhook } from '../../kernel/standard-webhooks.ts';
import type { Logger } from '../../kernel/log.ts';
import type { Db } from '../../store/db.ts';
import { openToolSecrets } from '../../store/open-tool-secret.ts';
import { readToolSecrets } from '../../store/tool-secrets.ts';

const MAX_BYTES = 64 * 1024;
const TIMEOUT_SECONDS = 10;
/** Before the second attempt; each further pause is twice as long. */
const FIRST_PAUSE_MS = 300;

type CallToolDeps = { db: Db; egress: Pick<Egress, 'request'>; sealingKey: Key; log: Pick<Logger, 'error'> };

/** What proves to the receiver that we call. */
type Authority = {
  /** Each signs. None: the tool has no secret, and its calls are not signed. */
  signing: string[];
  headers: Record<string, string>;
  /** Removed from the answer, if the receiver repeats them. */
  hidden: string[];
};

/** Calls a tool at the customer's address: signed as a webhook is, with the stored credentials of this tool. */
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
  const authority = await findAuthority(deps, request);
  if ('fault' in authority) return { ...NOTHING_SENT, error: authority.fault };
  for (let attempt = 1; ; attempt++) {
    const body: ToolCall = { tool: tool.name, arguments: request.arguments, context: { ...context, attempt } };
    const answer = await send(deps.egress, request, authority, body);
    if (answer.error === null || attempt > retries || !mayPass(answer.status)) return answer;
    await pause(FIRST_PAUSE_MS * 2 ** (attempt - 1));
    signal.throwIfAborted();
  }
}

const NOTHING_SENT: ToolAnswer = { sent: null, attempts: 0, status: null, result: null, error: null };

/**
 * The secrets of exactly this tool at exactly this origin. If there are only some for other origins, nothing is sent:
 * the address has changed, and calls that were signed must not silently become calls that are not.
 */
async function findAuthority(
  { db, sealingKey }: CallToolDeps,
  { tool, context }: ToolRequest,
): Promise<Authority | { fault: string }> {
  const rows = await readToolSecrets(db, context.organization_id, context.agent_id, tool.name);
  if (rows.length === 0) return { signing: [], headers: {}, hidden: [] };
  const { origin } = new URL(tool.url);
  const row = rows.find((one) => one.origin === origin);
  if (!row) return { fault: 'The secret of this tool belongs to another address, so the tool was not called.' };
  try {
    const { secret, previous, credentials = {} } = await openToolSecrets(db, sealingKey, row);
    const isOverlap = row.previousUntil !== null && row.previousUntil.getTime() > Date.now();
    return { signing: isOverlap && previous ? [secret, previous] : [secret], ...credentialHeaders(credentials) };
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    return { fault: 'The stored secret of this tool cannot be opened, so the tool was not called.' };
  }
}

function credentialHeaders({ bearer, basic, headers = [] }: SetToolCredentialsBody): Omit<Authority, 'signing'> {
  const all = Object.fromEntries(headers.map(({ name, value }) => [name.toLowerCase(), value]));
  if (bearer !== undefined) all['authorization'] = `Bearer ${bearer}`;
  if (basic !== undefined) {
    all['authorization'] = `Basic ${Buffer.from(`${basic.username}:${basic.password}`).toString('base64')}`;
  }
  return { headers: all, hidden: headers.map(({ value }) => value) };
}

async function send(
  egress: Pick<Egress, 'request'>,
  { tool, signal }: ToolRequest,
  { signing, headers: credentials, hidden }: Authority,
  call: ToolCall,
): Promise<ToolAnswer> {
  const { idempotency_key: key, attempt } = call.context;
  // Created once: the signed bytes are exactly the sent bytes.
  const body = JSON.stringify(call);
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json',
    'user-agent': 'Parley',
    'idempotency-key': key,
    ...(signing.length > 0 && signWebhook(signing, key, new Date(), body)),
  };
  const made = { sent: { url: tool.url, headers, body }, attempts: attempt };
  try {
    const answer = await egress.request({
      url: tool.url,
      method: 'POST',
      headers: { ...headers, ...credentials },
      body,
      secrets: hidden,
      signal,
      timeoutMs: (tool.timeout_seconds ?? TIMEOUT_SECONDS) * 1_000,
      maxBytes: MAX_BYTES,
    });
    const { status } = answer;
    const isGood = status >= 200 && status <= 299;
    const error = isGood ? null : `The tool returned ${status}.`;
    return { ...made, status, result: read(answer.body.toString('utf8')), error };
  } catch (error) {
    if (signal.aborted || !(error instanceof EgressError)) throw error;
    return { ...made, status: null, result: null, error: error.message };
  }
}

function read(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** Whether the fault may be gone in a moment: no answer, too many calls, or a server's own fault. */
const mayPass = (status: number | null): boolean => status === null || status === 429 || status >= 500;
