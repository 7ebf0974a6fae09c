import { randomUUID } from 'node:crypto';
import {
  Client,
  type JSONRPCMessage,
  ProtocolError,
  type RequestOptions,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { type Egress, EgressError } from '../../kernel/egress.ts';
import { withoutSecrets } from '../../kernel/egress/sent-secrets.ts';
import { signWebhook } from '../../kernel/standard-webhooks.ts';
import { type Authority, secretsIn } from '../tools/tool-signature.ts';

/**
 * A short session with an MCP server, which may be hostile. The library implements the protocol, but this file sends
 * all its requests. A session reaches only one address, follows no redirect, opens no long-lived stream, and ends after
 * its time limit. The client offers the server no functions: no sampling, no roots, no questions to the person.
 */
export type McpPlace = {
  egress: Pick<Egress, 'fetchWith'>;
  url: string;
  authority: Authority;
  /** The session has one time limit for the greeting, the list and the call. */
  timeoutMs: number;
  signal: AbortSignal;
  /** A `traceparent` for the tool call. */
  trace?: string | undefined;
};

export type McpSession = {
  client: Client;
  options: RequestOptions;
  wire: Wire;
  /** Secrets that a server may repeat in any of its texts. */
  secrets: readonly string[];
};

/** The exchanged data for the trace. */
export type Wire = {
  /** The status of the last response. Null: there was no response. */
  status: number | null;
  /** The request of the tool call, without credentials. */
  sent: { url: string; headers: Record<string, string>; body: string } | null;
};

/** One response, such as a list of tools with their schemas or a result with its pictures, has at most this size. */
const MAX_BYTES = 1024 * 1024;
/**
 * Maximum number of requests in a session. A server may ask questions in its stream, and each question needs an answer.
 */
const MAX_REQUESTS = 24;
/** The library validates each tool of a page, which takes half a second for the most tools that fit into a response. */
const MAX_TOOLS_OF_PAGE = 1_000;
const GOODBYE_MS = 5_000;

/** `id` identifies the call in its signature. Each attempt of a call has the same `id`. */
export async function withMcpSession<T>(
  place: McpPlace,
  id: string,
  work: (session: McpSession) => Promise<T>,
): Promise<{ wire: Wire; answer: T } | { wire: Wire; error: string }> {
  const { timeoutMs, signal } = place;
  const secrets = secretsIn(place.url, place.authority);
  const wire: Wire = { status: null, sent: null };
  const until = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const fetch = boundedFetch(place, id, wire, until);
  const client = new Client(
    { name: 'parley', version: '1' },
    {
      capabilities: {},
      versionNegotiation: { mode: 'auto' },
      inputRequired: { autoFulfill: false },
      // Output schemas are not compiled. Only the input schema of a called tool is compiled, within a time limit
      // (check-arguments.ts).
      jsonSchemaValidator: {
        getValidator: () => (data) => ({ valid: true, data: data as never, errorMessage: undefined }),
      },
    },
  );
  const transport = new StreamableHTTPClientTransport(new URL(place.url), {
    fetch,
    redirectPolicy: 'follow',
    reconnectionOptions: {
      initialReconnectionDelay: 1,
      maxReconnectionDelay: 1,
      reconnectionDelayGrowFactor: 1,
      maxRetries: 0,
    },
  });
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a transport is no event target
  transport.onmessage = withFewerTools;
  const options = { signal: until, timeout: timeoutMs, maxTotalTimeout: timeoutMs };
  try {
    await client.connect(transport, options);
    return { wire, answer: await work({ client, options, wire, secrets }) };
  } catch (error) {
    signal.throwIfAborted();
    return { wire, error: withoutSecrets(explain(error, wire, until), secrets) };
  } finally {
    const { sessionId } = transport;
    await client.close().catch(() => {});
    if (sessionId !== undefined) sayGoodbye(place, sessionId);
  }
}

/** The library calls this function with each message, before it validates the message. */
function withFewerTools(message: JSONRPCMessage): void {
  const { tools } = Object('result' in message ? message.result : null) as { tools?: unknown };
  if (Array.isArray(tools)) tools.splice(MAX_TOOLS_OF_PAGE);
}

function boundedFetch(
  { egress, url, authority, timeoutMs, trace }: McpPlace,
  id: string,
  wire: Wire,
  until: AbortSignal,
) {
  const call = egress.fetchWith({ timeoutMs, maxBytes: MAX_BYTES });
  const { href } = new URL(url);
  let requests = 0;
  return async (input: string | URL, init: RequestInit = {}): Promise<Response> => {
    // The client refuses the stream of notifications, because a session for one call does not need it.
    if (init.method === 'GET') return new Response(null, { status: 405 });
    if (String(input) !== href) throw new EgressError('egress_refused', 'The MCP server returned another address.');
    if (++requests > MAX_REQUESTS) throw new EgressError('egress_refused', 'The MCP server asks too many questions.');
    const body = typeof init.body === 'string' ? init.body : '';
    const isCall = methodOf(body) === 'tools/call';
    const headers = new Headers(init.headers);
    headers.set('user-agent', 'Parley');
    if (isCall) headers.set('idempotency-key', id);
    if (isCall && trace !== undefined) headers.set('traceparent', trace);
    const signature =
      authority.signing.length > 0 && signWebhook(authority.signing, isCall ? id : randomUUID(), new Date(), body);
    for (const [name, value] of Object.entries(signature || {})) headers.set(name, value);
    if (isCall) wire.sent = { url, headers: Object.fromEntries(headers), body };
    for (const [name, value] of Object.entries(authority.headers)) headers.set(name, value);
    wire.status = null;
    const signal = init.signal ? AbortSignal.any([init.signal, until]) : until;
    const answer = await call(href, { ...init, headers, signal });
    wire.status = answer.status;
    if (answer.status >= 300 && answer.status <= 399) {
      throw new EgressError('egress_refused', 'The MCP server redirects, and redirects are not followed.');
    }
    return answer;
  };
}

const methodOf = (body: string): unknown => (body === '' ? null : (JSON.parse(body) as { method?: unknown }).method);

/** Asks the server to delete the session. The caller does not wait for the response. */
function sayGoodbye({ egress, url, authority }: McpPlace, sessionId: string): void {
  const headers = { ...authority.headers, 'mcp-session-id': sessionId };
  const call = egress.fetchWith({ timeoutMs: GOODBYE_MS, maxBytes: MAX_BYTES });
  call(url, { method: 'DELETE', headers })
    .then((answer) => answer.body?.cancel())
    .catch(() => {});
}

const MAX_CAUSES = 6;
const MAX_MESSAGE_CHARACTERS = 500;

/** Describes the failure in a sentence for the model and the author. */
function explain(error: unknown, { status }: Wire, until: AbortSignal): string {
  if (until.aborted) return 'The MCP server did not answer in time.';
  let at = error;
  for (let depth = 0; depth < MAX_CAUSES && at instanceof Error; depth++) {
    if (at instanceof EgressError) return at.message;
    if (at instanceof ProtocolError) return `The MCP server refused: ${at.message.slice(0, MAX_MESSAGE_CHARACTERS)}`;
    at = at.cause ?? (at as { data?: { cause?: unknown } }).data?.cause;
  }
  if (status !== null && status >= 400) return `The MCP server returned ${status}.`;
  return 'The response of the MCP server is not valid MCP.';
}
