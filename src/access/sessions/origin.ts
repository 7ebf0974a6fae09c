import type { IncomingHttpHeaders } from 'node:http';
import { Refusal } from '../../../contract/problems.ts';

/** What is looked at of a request: Fastify's and Node's both have it. Forwarded headers are not: anybody can send them. */
export type Arrival = { headers: IncomingHttpHeaders; socket: { localAddress?: string | undefined } };

/**
 * Two attacks by way of somebody's browser. DNS rebinding: a page points its own name at our address and then is, for the
 * browser, of the same site as we are; only the Host header tells, so a host that is not ours is refused. Cross-site
 * request forgery: a browser sends the session cookie along with whatever another site asks for (SameSite keeps back
 * most of it, not sister subdomains). A browser names the asking site in Origin on every change, so an Origin that is
 * not ours is refused. Programs such as the command line send none; a request without Origin is accepted unless
 * Sec-Fetch-Site, which only browsers send and pages cannot forge, says that it crosses origins.
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

/** Whether a page of ours asks: of the configured address, or of the host that was called if that is ours. */
export function isOurs(origin: string, request: Arrival, baseUrl: string): boolean {
  if (origin === new URL(baseUrl).origin) return true;
  if (!URL.canParse(origin) || !isOurHost(request, baseUrl)) return false;
  const { protocol, host } = new URL(origin);
  return (protocol === 'http:' || protocol === 'https:') && host === request.headers.host!.toLowerCase();
}

/**
 * The host of the configured address; and this machine's own names, which no other machine can be made to answer to,
 * where the server is reached by them. Any port of these: it may be forwarded.
 */
export function isOurHost({ headers, socket }: Arrival, baseUrl: string): boolean {
  const host = headers.host?.toLowerCase() ?? '';
  const own = new URL(baseUrl);
  // The port of a scheme may be written out.
  if (host === own.host || host === `${own.hostname}:${own.protocol === 'https:' ? 443 : 80}`) return true;
  const isLocal = LOOPBACK_ADDRESS.test(socket.localAddress ?? '') || LOOPBACK_HOST.test(own.host);
  return isLocal && LOOPBACK_HOST.test(host);
}

const LOOPBACK_HOST = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/;
const LOOPBACK_ADDRESS = /^(?:::ffff:)?127\.|^::1$/;
