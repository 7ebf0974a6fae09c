import { hash } from 'node:crypto';
import { Type } from 'typebox';
import type { Region } from '../../../contract/regions.ts';
import { describeRoutes } from '../docs/openapi.ts';
import type { Route } from '../route/route.ts';

type Deps = {
  readonly region: Region;
  readonly baseUrl: string;
  readonly version: string;
  readonly allRoutes: () => readonly Route[];
};

/**
 * Serves the machine-readable reference. The reference is created once, on the first request, because the routes cannot
 * change while the server runs.
 */
export function openapi(deps: Deps): Route {
  let made: { text: string; etag: string } | null = null;
  return {
    method: 'GET',
    path: '/api/openapi.json',
    access: 'public',
    operation: {
      id: 'getOpenApi',
      summary: 'This description, as OpenAPI 3.1',
      description: 'The description is generated from the schemas that validate requests. Needs no key.',
      tag: 'System',
      examples: {
        200: {
          openapi: '3.1.0',
          info: { title: 'Parley API', version: deps.version },
          servers: [{ url: deps.baseUrl }],
          paths: {},
          components: {},
        },
      },
    },
    responses: {
      200: {
        schema: Type.Record(Type.String(), Type.Unknown()),
        headers: { ETag: 'The tag changes when the description changes.' },
      },
      304: null,
    },
    handle(request, reply) {
      made ??= make(deps);
      // Caches may store the reference but must revalidate it each time, so that a server update is visible
      // immediately.
      reply.header('cache-control', 'no-cache').header('etag', made.etag);
      if (matches(request.headers['if-none-match'], made.etag)) return reply.code(304).send();
      return made.text;
    },
  };
}

function make(deps: Deps): { text: string; etag: string } {
  const text = JSON.stringify(describeRoutes(deps.allRoutes(), deps));
  return { text, etag: `"${hash('sha256', text, 'base64url').slice(0, 22)}"` };
}

/** Compares the tag weakly with each entry of the list, or `*` (RFC 9110, 13.1.2). */
export const matches = (header: string | undefined, etag: string): boolean =>
  header !== undefined && header.split(',').some((each) => ['*', etag].includes(each.trim().replace(/^W\//, '')));
