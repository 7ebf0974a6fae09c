import type { FastifyRequest } from 'fastify';

/**
 * Reads the seconds of `Prefer: wait=10` (RFC 7240, 4.3), at most `most`. Null: the request does not have this
 * preference. The parser ignores preferences that it does not know, as RFC 7240 requires.
 */
export function waitedSeconds(request: FastifyRequest, most: number): number | null {
  const header = request.headers.prefer;
  const text = Array.isArray(header) ? header.join(',') : (header ?? '');
  const found = /(?:^|[,;])\s*wait\s*=\s*"?(\d{1,9})"?\s*(?:$|[,;])/i.exec(text);
  return found ? Math.min(Number(found[1]), most) : null;
}
