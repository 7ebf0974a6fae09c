const LOCAL = /^(?:(?:[a-z0-9-]+\.)*localhost|127\.0\.0\.1|\[::1\])$/;

/**
 * The origin of a web page as browsers send it: scheme, host and port, in lower case, without a default port. Only
 * https is accepted, and http on this machine for development. On another host, anyone between server and browser could
 * change the page. Null: the text is not an origin.
 */
export function readOrigin(text: string): string | null {
  const url = URL.parse(text);
  if (url === null || url.origin !== text || url.hostname.includes('*')) return null;
  return url.protocol === 'https:' || (url.protocol === 'http:' && LOCAL.test(url.hostname)) ? text : null;
}
