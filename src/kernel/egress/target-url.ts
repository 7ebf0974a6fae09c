import { EgressError } from './egress-error.ts';

/**
 * Parses the URL of an outgoing call. The function refuses a URL with a fault that is visible without resolving its
 * name.
 */
export function parseTarget(text: string): URL {
  const url = URL.parse(text);
  if (url === null) throw new EgressError('egress_refused', 'The URL cannot be read.');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new EgressError('egress_refused', 'The URL must start with https://.');
  }
  if (url.username !== '' || url.password !== '') {
    throw new EgressError('egress_refused', 'The URL must not contain a user name or a password.');
  }
  return url;
}
