import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { EVENT_TYPES } from '../../../contract/event-types.ts';
import { PROBLEMS } from '../../../contract/problems.ts';
import { AUTH, echo, startHttpServer, type TestHttpServer } from '../../../test/http-server.ts';
import { raw } from '../../../test/raw-http.ts';
import { FORMATS } from '../../kernel/validation/formats.ts';
import { isShown, pathOf, type OpenApiDocument } from './openapi.ts';
import { problemsOf } from '../route/route-problems.ts';
import { systemRoutes } from '../routes.ts';
import type { Route } from '../route/route.ts';

let http: TestHttpServer;
let document: OpenApiDocument;
beforeAll(async () => {
  http = await startHttpServer();
  document = (await raw(http.port, { path: '/api/openapi.json' })).json();
});
afterAll(() => http.server.close());

type Content = { schema: object; example?: unknown; examples?: Record<string, { value: unknown }> };
type Operation = {
  responses: Record<string, { content?: Record<string, Content> }>;
  requestBody?: { content: Record<string, Content> };
};
type Callbacks = Record<string, Record<string, { post: Operation }>>;
const operations = (): [string, Operation][] =>
  Object.entries(document.paths).flatMap(([at, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, Operation] => [
      `${method.toUpperCase()} ${at}`,
      operation as never,
    ]),
  );
const shownRoutes = (): Route[] =>
  [...systemRoutes({ allRoutes: () => [], isDraining: () => false, now: Date.now } as never), echo].filter(isShown);

describe('the OpenAPI document', () => {
  it('the document describes each event as a webhook, with a schema and a valid example', () => {
    const webhooks = { ...(document['webhooks'] as Record<string, { post: Operation }>) };
    delete webhooks['turn.requested'];
    expect(Object.keys(webhooks)).toEqual(EVENT_TYPES);
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema(document, 'document');
    const names = new Set<string>();
    for (const [type, { post }] of Object.entries(webhooks)) {
      const { schema, example } = post.requestBody!.content['application/json']!;
      const { $ref } = schema as { $ref: string };
      expect($ref).toMatch(/^#\/components\/schemas\/\w+Event$/);
      names.add($ref);
      const isValid = ajv.compile({ $ref: `document${$ref}` });
      expect([type, isValid(example), isValid.errors]).toEqual([type, true, null]);
      expect(isValid({ ...(example as object), type: 'other' })).toBe(false);
    }
    expect(names.size).toBe(EVENT_TYPES.length);
    expect(names).toContain('#/components/schemas/RunCompletedEvent');
  });

  it('the document describes the turn and the answers of own code, with valid examples', () => {
    const { post } = (document['webhooks'] as Record<string, { post: Operation & { callbacks: Callbacks } }>)[
      'turn.requested'
    ]!;
    const later = post.callbacks['laterAnswer']!['{$request.body#/turn/reply_url}']!.post;
    expect(Object.keys(post.responses)).toEqual(['200', '202', 'default']);
    expect(Object.keys(later.responses)).toEqual(['200', '401', '409', '422']);
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema(document, 'document');
    const contents = [post.requestBody!, post.responses['200']!, later.requestBody!];
    const titles = contents.map(({ content }) => {
      const { schema, example } = content!['application/json']!;
      const { $ref } = schema as { $ref: string };
      const isValid = ajv.compile({ $ref: `document${$ref}` });
      return [$ref.split('/').at(-1), isValid(example) || isValid.errors, isValid({})];
    });
    expect(titles).toEqual([
      ['TurnRequested', true, false],
      ['TurnAnswer', true, false],
      ['TurnAnswer', true, false],
    ]);
  });

  it('the document passes the linter without a message', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'parley-openapi-'));
    const file = path.join(folder, 'openapi.json');
    writeFileSync(file, JSON.stringify(document));
    const redocly = path.resolve('node_modules/@redocly/cli/bin/cli.js');
    // oxlint-disable-next-line node/no-process-env -- handed on to a child as it is
    const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
    const lint = promisify(execFile)(process.execPath, [redocly, 'lint', file, '--format=json'], { env, cwd: folder });
    const { stdout } = await lint.catch((error: { stdout: string }) => error);
    rmSync(folder, { recursive: true });
    expect((JSON.parse(stdout) as { problems: unknown[] }).problems).toEqual([]);
  }, 60_000);

  it('the document describes every route of the public API, and no other', () => {
    const routes = shownRoutes().map((route) => `${route.method} ${pathOf(route)}`);
    expect(
      operations()
        .map(([name]) => name)
        .sort(),
    ).toEqual(routes.sort());
  });

  it('the document describes only routes that the server has', async () => {
    for (const [name] of operations()) {
      const [method, at] = name.split(' ') as [string, string];
      const answer = await raw(http.port, { method, path: at.replaceAll(/\{\w+\}/g, 'x') });
      expect([name, answer.status]).not.toEqual([name, expect.toSatisfy((status) => [404, 405].includes(status))]);
    }
  });

  it('the document lists every status that a route can return', () => {
    for (const route of shownRoutes()) {
      const declared = Object.keys(route.responses).map(Number);
      const refused = problemsOf(route).map((code) => PROBLEMS[code].status);
      const { responses } = operations().find(([name]) => name === `${route.method} ${pathOf(route)}`)![1];
      expect(Object.keys(responses).map(Number)).toEqual([...new Set([...declared, ...refused])].sort((a, b) => a - b));
    }
    expect(Object.keys(operations().find(([name]) => name.startsWith('POST'))![1].responses)).toEqual([
      '200',
      '400',
      '401',
      '403',
      '408',
      '409',
      '413',
      '415',
      '422',
      '429',
      '431',
      '500',
      '503',
    ]);
  });

  it('the examples are valid under their schemas', () => {
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    for (const [name, { test }] of Object.entries(FORMATS)) ajv.addFormat(name, { type: 'string', validate: test });
    ajv.addSchema(document, 'document');
    const check = (schema: object, value: unknown, where: string): void => {
      const text = JSON.stringify(schema).replaceAll('"#/', '"document#/');
      const valid = ajv.compile(JSON.parse(text) as object);
      expect([where, valid(value) || ajv.errorsText(valid.errors)]).toEqual([where, true]);
    };
    let checked = 0;
    for (const [name, { responses, requestBody }] of operations()) {
      const contents = [requestBody, ...Object.values(responses)].flatMap((each) => Object.values(each?.content ?? {}));
      for (const { schema, example, examples = {} } of contents) {
        const values = [
          ...(example === undefined ? [] : [example]),
          ...Object.values(examples).map(({ value }) => value),
        ];
        for (const value of values) check(schema, value, name);
        checked += values.length;
      }
    }
    expect(checked).toBeGreaterThan(30);
  });

  it('the document names the base URL of this region', () => {
    expect(document.servers).toEqual([{ url: 'https://us.parley.example', description: 'United States' }]);
    expect(document.openapi).toBe('3.1.0');
  });

  it('the document is sent only if it has changed', async () => {
    const first = await raw(http.port, { path: '/api/openapi.json' });
    const etag = first.headers.etag!;
    for (const header of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      const again = await raw(http.port, { path: '/api/openapi.json', headers: [`If-None-Match: ${header}`] });
      expect([again.status, again.text]).toEqual([304, '']);
    }
    expect((await raw(http.port, { path: '/api/openapi.json', headers: ['If-None-Match: "x"'] })).status).toBe(200);
  });

  it('the document shows real responses of /api/me and /api/health', async () => {
    // The server of this test validates every answer against its schema and would answer 500.
    expect((await raw(http.port, { path: '/api/me', headers: [AUTH] })).json()).toMatchObject({
      plan: 'paid',
      region: 'us',
    });
    const { status, timestamp } = (await raw(http.port, { path: '/api/health' })).json();
    expect([status, timestamp]).toEqual(['ok', new Date(timestamp as string).toISOString()]);
  });
});
