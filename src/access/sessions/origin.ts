import type { IncomingHttpHeaders } from 'node:http';
import { Refusal } from '../../../contract/problems.ts';

/**
 * Cross-site request forgery: a browser sends the session cookie along with whatever another site asks for (SameSite
 * keeps back most of it, not sister subdomains). A browser names the asking site in Origin on every change, so an
 * Origin that is not ours is refused. Programs such as the command line send none; a request without Origin is
 * accepted unless Sec-Fetch-Site, which only browsers send and pages cannot forge, says that it crosses origins.
 */
export function checkOrigin(method: string | undefined, headers: IncomingHttpHeaders, baseUrl: string): void {
  if (method === 'GET' || method === 'HEAD') return;
  const { origin } = headers;
  if (origin === undefined) {
    const site = headers['sec-fetch-site'];
    if (site === undefined || site === 'same-origin' || site === 'none') return;
  } else if (isOurs(origin, headers.host, baseUrl)) return;
  throw new Refusal('origin_refused');
}

/** Whether a page of ours asks: the configured address, or the very host that was called (an address behind a proxy, 127.0.0.1 for localhost). */
export function isOurs(origin: string, host: string | undefined, baseUrl: string): boolean {
  if (origin === new URL(baseUrl).origin) return true;
  if (!URL.canParse(origin) || host === undefined) return false;
  const { protocol, host: originHost } = new URL(origin);
  return (protocol === 'http:' || protocol === 'https:') && originHost === host.toLowerCase();
}
