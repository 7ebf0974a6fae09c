import { type Arrival, isOurs } from '../sessions/origin.ts';

/** The requesting page, which is one of the sites on the channel's list or the chat's own page. */
export type ChatOrigin = { readonly origin: string; readonly own: boolean };

/**
 * Returns the requesting page if this page may use the chat. Browsers send the requesting site in Origin on every call
 * to another site and on every POST. Only a GET within one site has no Origin. For a request without Origin,
 * Sec-Fetch-Site (which pages cannot forge) or the visitor's token must show that Parley's own page sent the request.
 */
export function chatOrigin(
  request: Arrival,
  method: string | undefined,
  allowed: { readonly origins: readonly string[]; readonly ownPage: boolean; readonly baseUrl: string },
): ChatOrigin | null {
  const { headers } = request;
  const { origin } = headers;
  if (origin === undefined) {
    const site = headers['sec-fetch-site'];
    const within = (method === 'GET' || method === 'HEAD') && (site === undefined || site === 'same-origin');
    return within && allowed.ownPage ? { origin: '', own: true } : null;
  }
  // If the list also contains Parley's own origin, it counts as a site like any other.
  if (allowed.origins.includes(origin)) return { origin, own: false };
  return allowed.ownPage && isOurs(origin, request, allowed.baseUrl) ? { origin, own: true } : null;
}

/** True if the token was issued for a page of this site. A GET within Parley's own page has no site to compare. */
export const fitsOrigin = (asking: ChatOrigin, tokenOrigin: string, request: Arrival, baseUrl: string) =>
  asking.origin === '' ? isOurs(tokenOrigin, request, baseUrl) : asking.origin === tokenOrigin;
