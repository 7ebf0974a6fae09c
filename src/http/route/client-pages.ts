import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../../../contract/problems.ts';
import { readOrigin } from '../../access/client-tokens/read-origin.ts';
import type { Admission } from '../../access/types.ts';
import { metaOf } from '../edge/request-meta.ts';
import type { AccessDecisions, Route } from './route.ts';

/**
 * CORS for the routes that client tokens open. A page may read a response only if its token names the page's origin. A
 * preflight has no token, so its response shows nothing and only allows the call, which needs a valid token
 * (docs/adr/0109). Every response varies by origin, so that no cache gives the response to another page.
 */
const EXPOSED =
  'x-request-id, retry-after, location, ratelimit, ratelimit-policy, idempotent-replayed, preference-applied';
const HEADERS = 'authorization, content-type, idempotency-key, last-event-id, prefer';
/** The longest time for which browsers cache a preflight. */
const PREFLIGHT_SECONDS = 7_200;

export function letOwnPageRead(request: FastifyRequest, reply: FastifyReply, access: AccessDecisions): void {
  reply.header('vary', 'origin');
  const { origin } = request.headers;
  if (origin === undefined || !access.isOwnPage(metaOf(request.raw)!.authorization, origin)) return;
  reply
    .header('access-control-allow-origin', origin)
    .header('access-control-expose-headers', EXPOSED)
    .header('cross-origin-resource-policy', 'cross-origin');
}

/**
 * A preflight does not show whether the call has a client token. A call of a page with an API key is refused, so that a
 * key in a page has no effect. Only browsers send Sec-Fetch-Site, and pages cannot change it. A call from the same
 * origin is allowed, because a proxy may have added its key.
 */
export function refuseKeyOfPage({ headers }: FastifyRequest, { caller }: Admission): void {
  const site = headers['sec-fetch-site'];
  if (caller.client === undefined && headers.origin !== undefined && (site === 'cross-site' || site === 'same-site'))
    throw new Refusal('origin_not_allowed', 'An API key works only in a backend. Web pages use client tokens.');
}

export function mountPreflight(server: FastifyInstance, { method, path }: Route): void {
  server.route({
    method: 'OPTIONS',
    url: path,
    handler: (request, reply) => {
      const meta = metaOf(request.raw)!;
      meta.route = path;
      reply.code(204).header('x-request-id', meta.id).header('cache-control', 'no-store').header('vary', 'origin');
      const { origin } = request.headers;
      if (origin !== undefined && readOrigin(origin) !== null)
        reply
          .header('access-control-allow-origin', origin)
          .header('access-control-allow-methods', method)
          .header('access-control-allow-headers', HEADERS)
          .header('access-control-max-age', PREFLIGHT_SECONDS);
      return reply.send();
    },
  });
}
