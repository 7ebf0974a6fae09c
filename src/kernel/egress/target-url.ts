import { EgressError } from './egress-error.ts';

/** Reads the URL of an outgoing call, or refuses it for what can be seen without resolving its name. */
export function parseTarget(text: string): URL {
  const url = URL.parse(text);
  if (url === null) throw new EgressError('egress_refused', 'The URL cannot be read.');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new EgressError('egress_refused', 'The URL must begin with https://.');
  }
  if (url.username !== '' || url.password !== '') {
    throw new EgressError('egress_refused', 'The URL must not hold a user name or a password.');
  }
  return url;
}
