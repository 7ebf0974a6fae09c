import type { Socket } from 'node:net';
import type { Agent, buildConnector } from 'undici';
import { parseAllow } from './egress/allow-list.ts';
import { EGRESS_MAX_BYTES, EGRESS_TIMEOUT_MS, tooLarge, type EgressBounds } from './egress/bounds.ts';
import { withDeadline } from './egress/deadline.ts';
import { EgressError } from './egress/egress-error.ts';
import { guardedConnect, judgeForSaving, resolveBySystem, type Resolve } from './egress/guarded-connect.ts';
import { guardedFetch } from './egress/guarded-fetch.ts';
import { openGuardedSocket, type SocketTarget } from './egress/guarded-socket.ts';
import { bytesWithoutSecrets, secretsOf, withoutSecrets } from './egress/sent-secrets.ts';
import { parseTarget } from './egress/target-url.ts';

export { EgressError, parseAllow };

/**
 * Egress is the only way to call a URL that a user gave (webhook, tool, model server). A URL from a user may point to a
 * server that only this machine can reach, so that an attacker could read internal data. Egress refuses a port of
 * another protocol. A request requires https unless the operator allowed the host. Egress refuses credentials in the
 * URL. Every address of the name must be public, and the socket connects to the address that was judged. Egress follows
 * no redirects (3xx is the answer). The whole call has a timeout, and the answer has a size limit. Egress removes the
 * secrets of the request from the answer. The method `fetch` is the same guard for libraries. The guard removes secrets
 * only from error answers (4xx, 5xx), because other answers arrive as streams.
 */
export type Egress = {
  request(request: EgressRequest): Promise<EgressResponse>;
  /**
   * A `fetch` with the default bounds. `fetchWith` has other bounds than `fetch`, because a model may take longer and
   * answer more than a webhook.
   */
  fetch: typeof fetch;
  fetchWith(bounds: EgressBounds): typeof fetch;
  /**
   * The promise rejects with the error with which a call to this URL would be refused. The check opens no connection.
   * The check is for URLs that are about to be saved.
   */
  check(url: string): Promise<void>;
  /** Opens a connection for protocols other than HTTP (SMTP), to an address that the rules for HTTP allow. */
  connect(target: SocketTarget): Promise<Socket>;
  close(): Promise<void>;
};

export type EgressRequest = EgressBounds & {
  url: string;
  method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  /**
   * Secrets of the request whose names do not show that they are secret. Egress removes secret values from the answer
   * too.
   */
  secrets?: readonly string[];
  signal?: AbortSignal;
};

/** Header names are in lower case. Several lines with one name are joined by a comma. */
export type EgressResponse = { status: number; headers: Record<string, string>; body: Buffer };

export type EgressOptions = {
  /** The hosts and CIDRs that may be called even if they are private or plain http (PARLEY_EGRESS_ALLOW). */
  allow: readonly string[];
  resolve?: Resolve;
  /** The certificate authorities that replace those of the system, as PEM. */
  ca?: string;
};

/** At most this many sockets are open to one origin. Further calls wait for a free socket within their own timeout. */
const MAX_CONNECTIONS_PER_ORIGIN = 32;
/** At most this many origins have an open socket. Idle sockets are closed after the keep-alive time. */
const MAX_ORIGINS = 4_096;
/**
 * The time is shorter than the five seconds after which many servers close idle sockets, so that a call rarely meets a
 * closing socket.
 */
const KEEP_ALIVE_MS = 4_000;

export function createEgress({ allow, resolve = resolveBySystem, ca }: EgressOptions): Egress {
  const parsed = parseAllow(allow);
  if ('fault' in parsed) throw new TypeError(parsed.fault);
  let opened: Promise<Agent> | undefined;
  const agent = () => (opened ??= openAgent((build) => guardedConnect(build, parsed.ok, resolve, ca)));
  const fetchWith =
    (bounds: EgressBounds): typeof fetch =>
    (input: string | URL | Request, init?: RequestInit) =>
      guardedFetch(agent, bounds, input, init);
  return {
    request: (request) => send(agent, request),
    fetch: fetchWith({}),
    fetchWith,
    async check(text) {
      const { hostname, protocol, port } = parseTarget(text);
      const destination = { hostname, protocol, port: Number(port || (protocol === 'https:' ? 443 : 80)) };
      await judgeForSaving(destination, parsed.ok, resolve);
    },
    connect: (target) => openGuardedSocket(target, parsed.ok, resolve),
    close: async () => (await opened)?.destroy(),
  };
}

/** The first call loads the library, which has a size of one megabyte. */
async function openAgent(connect: (build: typeof buildConnector) => buildConnector.connector): Promise<Agent> {
  const undici = await import('undici');
  return new undici.Agent({
    connect: connect(undici.buildConnector),
    allowH2: false,
    connections: MAX_CONNECTIONS_PER_ORIGIN,
    maxOrigins: MAX_ORIGINS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
  });
}

async function send(agent: () => Promise<Agent>, request: EgressRequest): Promise<EgressResponse> {
  const { method = 'GET', body, maxBytes = EGRESS_MAX_BYTES } = request;
  const url = parseTarget(request.url);
  const deadline = withDeadline(request.timeoutMs ?? EGRESS_TIMEOUT_MS, request.signal);
  try {
    const answer = await deadline.race(
      (await agent()).request({
        origin: url.origin,
        path: url.pathname + url.search,
        method,
        headers: { 'accept-encoding': 'identity', ...withoutHost(request.headers ?? {}) },
        body: body ?? null,
        signal: deadline.signal,
      }),
    );
    const chunks: Buffer[] = [];
    let size = 0;
    // An early end of the loop destroys the body and its socket.
    for await (const chunk of answer.body as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBytes) throw tooLarge();
      chunks.push(chunk);
    }
    const sent = secretsOf({
      url,
      headers: Object.entries(request.headers ?? {}),
      body: typeof body === 'string' ? body : undefined,
      others: request.secrets,
    });
    const headers: Record<string, string> = {};
    for (const [name, value] of Object.entries(answer.headers)) {
      headers[name] = withoutSecrets([value].flat().join(', '), sent);
    }
    return { status: answer.statusCode, headers, body: bytesWithoutSecrets(Buffer.concat(chunks, size), sent) };
  } catch (error) {
    throw deadline.explain(error);
  } finally {
    deadline.clear();
  }
}

/**
 * The host is always the name in the URL. Another name in the Host header would also change SNI and the checked
 * certificate.
 */
const withoutHost = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'host'));
