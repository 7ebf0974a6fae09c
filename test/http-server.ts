import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { Refusal } from '../contract/problems.ts';
import type { Admission } from '../src/access/types.ts';
import type { AccessDecisions, Route } from '../src/http/route/route.ts';
import { createHttpServer } from '../src/http/edge/server.ts';
import type { HttpDeps } from '../src/http/edge/http-deps.ts';

/** Starts only the HTTP room on a real socket, with a fake access room that accepts one key. */
export type TestHttpServer = {
  readonly server: FastifyInstance;
  readonly port: number;
  readonly url: string;
  readonly lines: Record<string, unknown>[];
};

export const GOOD_KEY = 'test-key';
export const AUTH = `Authorization: Bearer ${GOOD_KEY}`;

export const ADMISSION: Admission = {
  caller: {
    keyId: 'key_01k8v3m9e5f7rsm6z4n0q2x1ab',
    orgId: 'org_01k8v3m9e5f7rsm6z4n0q2x1ac',
    orgName: 'Example Store',
    plan: 'paid',
    label: 'Order service',
    prefix: 'parley_us_Ab3dE9',
    scope: 'organization',
    agentId: null,
    campaignId: null,
    permissions: ['triggers'],
    networks: null,
    limits: null,
  },
  from: '127.0.0.1',
  agent: null,
  trigger: null,
  channel: null,
  campaign: null,
};

export const oneKey: AccessDecisions = {
  admit(authorization) {
    if (authorization.length !== 1) throw new Refusal('authorization_missing');
    if (authorization[0] !== `Bearer ${GOOD_KEY}`) throw new Refusal('key_invalid');
    return ADMISSION;
  },
  limit: () => ({ policy: '"key";q=600;w=60', state: '"key";r=599;t=60' }),
  isOwnPage: () => false,
  limitEndUser: async () => {},
  remaining: async () => null,
};

/** A route that returns the input of the request. */
export const echo: Route = {
  method: 'POST',
  path: '/api/echo/:id',
  access: { permission: 'triggers' },
  limit: 'triggers',
  idempotent: true,
  bodyOptional: true,
  operation: { id: 'echo', summary: 'Give back the body', tag: 'Triggers', example: { text: 'hello' } },
  body: Type.Object(
    {
      text: Type.Optional(Type.String({ maxLength: 10 })),
      free: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    },
    { additionalProperties: false, title: 'Echo' },
  ),
  responses: { 200: Type.Object({ body: Type.Unknown(), id: Type.String() }) },
  handle: (request) => ({ body: request.body, id: (request.params as { id: string }).id }),
};

export async function startHttpServer(
  routes: readonly Route[] = [echo],
  overrides: Partial<HttpDeps> = {},
): Promise<TestHttpServer> {
  const lines: Record<string, unknown>[] = [];
  const keep = (line: Record<string, unknown>): void => {
    lines.push(line);
  };
  const server = createHttpServer({
    routes,
    access: oneKey,
    region: 'us',
    baseUrl: 'https://us.parley.example',
    version: '0.0.0',
    log: { info: keep, warn: keep, error: keep },
    now: Date.now,
    ready: async () => ({ ok: true, detail: '' }),
    checkAnswers: true,
    ...overrides,
  });
  await server.listen({ port: 0, host: '127.0.0.1' });
  const { port } = server.server.address() as AddressInfo;
  return { server, port, url: `http://127.0.0.1:${port}`, lines };
}
