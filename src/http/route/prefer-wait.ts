import type { FastifyRequest } from 'fastify';

/**
 * `Prefer: wait=10` (RFC 7240, 4.3), at most `most`. Null: absent. The parser ignores what it does not understand, as
 * that standard requires.
 */
export function waitedSeconds(request: FastifyRequest, most: number): number | null {
  const header = request.headers.prefer;
  const text = Array.isArray(header) ? header.join(',') : (header ?? '');
  const found = /(?:^|[,;])\s*wait\s*=\s*"?(\d{1,9})"?\s*(?:$|[,;])/i.exec(text);
  return found ? Math.min(Number(found[1]), most) : null;
}
