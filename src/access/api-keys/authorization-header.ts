import { Refusal } from '../../../contract/problems.ts';

const SCHEME = 'Bearer ';
const SCHEME_LENGTH = SCHEME.length;

/** The WWW-Authenticate header (RFC 6750, section 3) contains `error` only if the request contained a token. */
export const CHALLENGE = 'Bearer realm="parley"';
export const CHALLENGE_INVALID = 'Bearer realm="parley", error="invalid_token"';
export const challengeScope = (permission: string): string =>
  `Bearer realm="parley", error="insufficient_scope", scope="${permission}"`;

/**
 * The token of the only Authorization header, exactly as it was sent. `headers` contains the value of every
 * Authorization header, because a framework that uses only the first header would let two callers share a request. The
 * scheme is case-insensitive. One or more spaces follow the scheme (RFC 9110, section 11.4: spaces, no tabs). The rest
 * of the header is the token. Two words or a comma-separated list count as a malformed token, not as a missing token.
 */
export function readToken(headers: readonly string[]): string {
  if (headers.length !== 1) {
    throw missing(
      headers.length === 0
        ? 'The request has no Authorization header: send "Authorization: Bearer <API_KEY>".'
        : 'The request has more than one Authorization header: send exactly one.',
    );
  }
  const value = headers[0]!;
  if (value.startsWith(SCHEME) && value.length > SCHEME_LENGTH && isTokenEdge(value, SCHEME_LENGTH)) {
    return isTokenEdge(value, value.length - 1) ? value.slice(SCHEME_LENGTH) : trimEnd(value.slice(SCHEME_LENGTH));
  }
  return readUnusual(trimEnd(trimStart(value)));
}

function readUnusual(value: string): string {
  if (value === '') throw missing('The Authorization header is empty: send "Authorization: Bearer <API_KEY>".');
  const scheme = value.slice(0, SCHEME_LENGTH);
  if (value.toLowerCase() === 'bearer') throw missing('The Authorization header has no token after "Bearer".');
  if (scheme.toLowerCase() !== 'bearer ') {
    throw missing('The Authorization header is of another scheme: send "Authorization: Bearer <API_KEY>".');
  }
  let at = SCHEME_LENGTH;
  while (value[at] === ' ') at++;
  return value.slice(at);
}

const missing = (detail: string): Refusal =>
  new Refusal('authorization_missing', detail, { headers: { 'WWW-Authenticate': CHALLENGE } });

const isTokenEdge = (value: string, at: number): boolean => value[at] !== ' ' && value[at] !== '\t';

/**
 * White space around the value of a field is not part of the value (RFC 9110, section 5.5). The loop avoids the
 * backtracking of a regular expression.
 */
function trimEnd(value: string): string {
  let end = value.length;
  while (end > 0 && !isTokenEdge(value, end - 1)) end--;
  return value.slice(0, end);
}

function trimStart(value: string): string {
  let start = 0;
  while (start < value.length && !isTokenEdge(value, start)) start++;
  return value.slice(start);
}
