import type { IncomingHttpHeaders } from 'node:http';
import { Refusal } from '../../../contract/problems.ts';

/**
 * The part of a request that the check of its origin needs. Requests of Fastify and of Node both have the fields of
 * this type. Forwarded headers are not checked, because any client can send them.
 */
export type Arrival = { headers: IncomingHttpHeaders; socket: { localAddress?: string | undefined } };

/**
 * Prevents two attacks through a person's browser. DNS rebinding: a page points its own name to our address, and the
 * browser then treats it as the same site. Only the Host header shows DNS rebinding, so a foreign host is refused.
 * Cross-site request forgery: a browser sends the session cookie with requests of other sites. SameSite stops most such
 * requests, but not requests of sister subdomains. On every change, a browser sends the requesting site in Origin, so a
 * foreign Origin is refused. Programs such as the command line send no Origin. A request without Origin is accepted
 * unless Sec-Fetch-Site, which only browsers send and pages cannot forge, says that it is cross-origin.
 */
export function checkOrigin(request: Arrival & { method?: string | undefined }, baseUrl: string): void {
  if (!isOurHost(request, baseUrl)) throw new Refusal('host_unknown');
  const { method, headers } = request;
  if (method === 'GET' || method === 'HEAD') return;
  const { origin } = headers;
  if (origin === undefined) {
    const site = headers['sec-fetch-site'];
    if (site === undefined || site === 'same-origin' || site === 'none') return;
  } else if (isOurs(origin, request, baseUrl)) return;
  throw new Refusal('origin_refused');
}

/**
 * True if a page of Parley sends the request: a page of the configured address, or of the called host if that host is
 * Parley's.
 */
export function isOurs(origin: string, request: Arrival, baseUrl: string): boolean {
  if (origin === new URL(baseUrl).origin) return true;
  if (!URL.canParse(origin) || !isOurHost(request, baseUrl)) return false;
  const { protocol, host } = new URL(origin);
  return (protocol === 'http:' || protocol === 'https:') && host === request.headers.host!.toLowerCase();
}

/**
 * The host of the configured address. If the server is reached through this machine's own names, these names are
 * accepted too, because no other machine can use them. Any port of our own names is accepted, because a port may be
 * forwarded.
 */
export function isOurHost({ headers, socket }: Arrival, baseUrl: string): boolean {
  const host = headers.host?.toLowerCase() ?? '';
  const own = new URL(baseUrl);
  // The default port of a scheme may be written explicitly.
  if (host === own.host || host === `${own.hostname}:${own.protocol === 'https:' ? 443 : 80}`) return true;
  const isLocal = LOOPBACK_ADDRESS.test(socket.localAddress ?? '') || LOOPBACK_HOST.test(own.host);
  return isLocal && LOOPBACK_HOST.test(host);
}

const LOOPBACK_HOST = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/;
const LOOPBACK_ADDRESS = /^(?:::ffff:)?127\.|^::1$/;
