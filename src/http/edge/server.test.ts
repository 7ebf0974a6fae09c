import { Type } from 'typebox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Refusal } from '../../../contract/problems.ts';
import { AUTH, echo, oneKey, startHttpServer, type TestHttpServer } from '../../../test/http-server.ts';
import { head, raw, rawExchange, type RawAnswer } from '../../../test/raw-http.ts';
import type { Route } from '../route/route.ts';

const boom: Route = {
  method: 'GET',
  path: '/api/boom',
  access: {},
  operation: { id: 'boom', summary: 'Fail', tag: 'System' },
  responses: { 200: null },
  handle: () => {
    throw new Error('secret internals at line 7');
  },
};

const gone: Route = {
  ...boom,
  path: '/api/gone',
  operation: { id: 'gone', summary: 'Lose the database', tag: 'System' },
  async handle() {
    throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
  },
};
const goneMeanwhile: Route = {
  ...gone,
  method: 'POST',
  operation: { id: 'goneMeanwhile', summary: 'Lose the database in a change', tag: 'System' },
};

const guarded = (guard: () => unknown, id: string): Route => ({
  method: 'GET',
  path: `/dashboard/api/${id}`,
  access: { session: guard },
  operation: { id, summary: id, tag: 'Dashboard' },
  responses: { 200: null },
  handle: (request, reply) => reply.send(request.session),
});

let http: TestHttpServer;
beforeAll(async () => {
  http = await startHttpServer([echo, boom, gone, goneMeanwhile]);
});
afterAll(() => http.server.close());

const JSON_TYPE = 'Content-Type: application/json';
const get = (path: string, headers: readonly string[] = [], method = 'GET') =>
  raw(http.port, { method, path, headers });

/** Properties of every error, from any source. */
function expectProblem(answer: RawAnswer, status: number, code: string): void {
  expect([answer.status, answer.headers['content-type']]).toEqual([status, 'application/problem+json']);
  const body = answer.json() as Record<string, string>;
  expect(body).toMatchObject({ type: `https://us.parley.example/docs/problems/${code}`, status, code });
  expect(body.request_id).toMatch(/^req_[0-7][0-9a-hjkmnp-tv-z]{25}$/);
  expect(answer.headers['x-request-id']).toBe(body.request_id);
  expect(answer.headers['cache-control']).toBe('no-store');
  expect(body.title!.length * body.detail!.length).toBeGreaterThan(0);
}

describe('the order of checks', () => {
  it.each([
    ['a body of another type', ['Content-Type: text/plain'], 'x'],
    ['broken JSON', [JSON_TYPE], '{'],
    ['an endless body', [JSON_TYPE, 'Content-Length: 99999999'], ''],
    ['a body that breaks the schema', [JSON_TYPE], '{"a":1}'],
    ['a malformed Idempotency-Key', ['Idempotency-Key: a b'], ''],
  ])(
    'a caller without a key gets 401, and the response does not reveal the fault in %s',
    async (_what, headers, body) => {
      const request = head({ method: 'POST', path: '/api/echo/%00', headers, body });
      const { answers } = await rawExchange(http.port, [request, body], 300);
      expectProblem(answers[0]!, 401, 'authorization_missing');
      expect(answers[0]!.headers['www-authenticate']).toBe('Bearer realm="parley"');
    },
  );

  it('a caller above the rate limit gets 429, and the response does not reveal the fault in the body', async () => {
    const limited = await startHttpServer([echo], {
      access: { ...oneKey, limit: () => Promise.reject(new Refusal('rate_limited')) },
    });
    const answer = await raw(limited.port, {
      method: 'POST',
      path: '/api/echo/1',
      headers: [AUTH, 'Content-Type: text/plain'],
      body: 'x',
    });
    expectProblem(answer, 429, 'rate_limited');
    expect(answer.headers['retry-after']).toBe('60');
    await limited.server.close();
  });

  it('the body is checked after an asynchronous access decision', async () => {
    const slow = await startHttpServer([echo], {
      access: {
        ...oneKey,
        admit: async (...args) => oneKey.admit(...args),
        limit: async (...args) => oneKey.limit(...args),
      },
    });
    const stranger = await raw(slow.port, { method: 'POST', path: '/api/echo/1', headers: [JSON_TYPE], body: '{' });
    expectProblem(stranger, 401, 'authorization_missing');
    const caller = await raw(slow.port, {
      method: 'POST',
      path: '/api/echo/1',
      headers: [AUTH, JSON_TYPE],
      body: '{}',
    });
    expect([caller.status, caller.headers['ratelimit']]).toEqual([200, '"key";r=599;t=60']);
    await slow.server.close();
  });

  it('every Authorization header is checked, including later ones', async () => {
    expectProblem(await get('/api/me', [AUTH, AUTH]), 401, 'authorization_missing');
    const beyondTwoThousand = Array.from({ length: 2_100 }, () => 'a:b');
    expectProblem(await get('/api/me', [AUTH, ...beyondTwoThousand, AUTH]), 401, 'authorization_missing');
  });

  it('a key in the query is ignored', async () => {
    expectProblem(await get('/api/me?api_key=test-key&authorization=Bearer%20test-key'), 401, 'authorization_missing');
    expect((await get('/api/me?api_key=other', [AUTH])).status).toBe(200);
  });

  it('the server does not start if a route has no access rule', async () => {
    const open = { ...echo, access: undefined as never };
    await expect(startHttpServer([open])).rejects.toThrow('POST /api/echo/:id declares no access rule');
  });
});

describe('paths and methods', () => {
  it.each([
    '/api',
    '/api/',
    '/api/nope',
    '/api/me/',
    '/api//me',
    '//api/me',
    '/API/me',
    '/api/me;x',
    '/api/me%2f',
    '/nope',
    '/',
  ])('the path %s gets 404 route_not_found, without a key', async (path) => {
    expectProblem(await get(path), 404, 'route_not_found');
  });

  it.each([
    ['POST', '/api/me', 'GET, HEAD'],
    ['OPTIONS', '/api/me', 'GET, HEAD'],
    ['PROPFIND', '/api/me?x=1', 'GET, HEAD'],
    ['GET', '/api/echo/1', 'POST'],
    ['DELETE', '/api/echo/1', 'POST'],
    ['TRACE', '/api/health', 'GET, HEAD'],
  ])('the call %s %s gets 405, and the response names %s', async (method, path, allow) => {
    const answer = await get(path, [], method);
    expectProblem(answer, 405, 'method_not_allowed');
    expect(answer.headers.allow).toBe(allow);
  });

  it('HEAD has the response of GET without the body', async () => {
    const { answers } = await rawExchange(http.port, [head({ method: 'HEAD', path: '/api/health' })]);
    const stranger = await rawExchange(http.port, [head({ method: 'HEAD', path: '/api/me' })]);
    expect([answers, stranger.answers].map((each) => [each[0]?.status, each[0]?.text])).toEqual([
      [200, ''],
      [401, ''],
    ]);
  });

  it.each(['/api/echo/%zz', '/api/echo/%', '/api/echo/%ff', '/%zz'])(
    'the path %s gets 400, because its meaning is ambiguous',
    async (path) => {
      expectProblem(await get(path, [AUTH], 'POST'), 400, 'request_invalid');
    },
  );

  it.each(['%00', 'a%0ab', '%7f'])('the ID %s gets 400', async (id) => {
    expectProblem(await get(`/api/echo/${id}`, [AUTH], 'POST'), 400, 'request_invalid');
  });

  it.each([
    ['..', '..'],
    ['a%2fb', 'a/b'],
    ['%2e%2e', '..'],
    ['a%252fb', 'a%2fb'],
    ['x'.repeat(9_000), 'x'.repeat(9_000)],
  ])('the ID %.20s is treated like any other, and never leads to another path', async (sent, id) => {
    expect((await get(`/api/echo/${sent}`, [AUTH], 'POST')).json().id).toBe(id);
  });
});

describe('requests that two parsers could understand differently', () => {
  const H = 'Host: a\r\n';
  it.each([
    ['two Host headers', `GET /api/health HTTP/1.1\r\n${H}Host: b\r\n\r\n`],
    ['the same Host twice', `GET /api/health HTTP/1.1\r\n${H}${H}\r\n`],
    ['no Host', 'GET /api/health HTTP/1.1\r\n\r\n'],
    ['an empty Host', 'GET /api/health HTTP/1.1\r\nHost:\r\n\r\n'],
    ['a Host with a path', 'GET /api/health HTTP/1.1\r\nHost: a/b\r\n\r\n'],
    ['a Host with a name before @', 'GET /api/health HTTP/1.1\r\nHost: a@b\r\n\r\n'],
    ['no version', `GET /api/health\r\n\r\n`],
    ['HTTP/2.0', `GET /api/health HTTP/2.0\r\n${H}\r\n`],
    ['an absolute target', `GET http://a/api/health HTTP/1.1\r\n${H}\r\n`],
    ['an asterisk', `OPTIONS * HTTP/1.1\r\n${H}\r\n`],
    ['CONNECT', `CONNECT a:443 HTTP/1.1\r\n${H}\r\n`],
    ['a fragment', `GET /api/health#x HTTP/1.1\r\n${H}\r\n`],
    [
      'a length and chunks',
      `POST /api/echo/1 HTTP/1.1\r\n${H}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    ['two lengths', `POST /api/echo/1 HTTP/1.1\r\n${H}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`],
    ['a negative length', `POST /api/echo/1 HTTP/1.1\r\n${H}Content-Length: -1\r\n\r\n`],
    ['a folded header', `GET /api/health HTTP/1.1\r\n${H}X: a\r\n b\r\n\r\n`],
    ['a space before the colon', `GET /api/health HTTP/1.1\r\nHost : a\r\n\r\n`],
    ['line feeds alone', 'GET /api/health HTTP/1.1\nHost: a\n\n'],
    ['another transfer coding', `POST /api/echo/1 HTTP/1.1\r\n${H}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`],
    ['an unknown transfer coding', `POST /api/echo/1 HTTP/1.1\r\n${H}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`],
    ['TLS on the plain port', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['a header without a colon', `GET /api/health HTTP/1.1\r\n${H}nonsense\r\n\r\n`],
    ['a NUL in a header', `GET /api/health HTTP/1.1\r\n${H}X: a\0b\r\n\r\n`],
  ])('an ambiguous request gets 400, and the connection ends: %s', async (_what, bytes) => {
    const { answers, closed } = await rawExchange(http.port, [Buffer.from(bytes, 'latin1')], 3_000);
    expect(answers).toHaveLength(1);
    expectProblem(answers[0]!, 400, 'request_invalid');
    expect(closed).toBe(true);
  });

  it('a request whose body becomes ambiguous is refused in the middle of the body', async () => {
    const request = head({
      method: 'POST',
      path: '/api/echo/1',
      headers: [AUTH, JSON_TYPE, 'Transfer-Encoding: chunked'],
    });
    const { answers, closed } = await rawExchange(http.port, [request, 20, 'zz\r\n'], 5_000);
    expectProblem(answers[0]!, 400, 'request_invalid');
    expect(closed).toBe(true);
  });

  it('an ambiguous request does not affect the response to the request before it', async () => {
    const first = head({
      method: 'POST',
      path: '/api/echo/1',
      headers: ['Host: a', AUTH, JSON_TYPE, 'Content-Length: 2'],
      bare: true,
    });
    const { answers, closed } = await rawExchange(http.port, [`${first}{}GARBAGE\r\n\r\n`], 5_000);
    expect([answers.map(({ status }) => status), closed]).toEqual([[200], true]);
  });

  it('more than 16 KiB of headers get 431', async () => {
    const { answers } = await rawExchange(http.port, [
      head({ path: '/api/health', headers: [`X: ${'a'.repeat(17_000)}`] }),
    ]);
    expectProblem(answers[0]!, 431, 'headers_too_large');
  });
});

describe('every answer', () => {
  it('browsers neither guess the type of a response nor cache it', async () => {
    const answer = await get('/api/me', [AUTH]);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    expect(answer.headers).not.toHaveProperty('server');
    expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
  });

  it('a response has an HSTS header only if the public URL has https and this host name', async () => {
    const under = (host: string, path = '/api/health') =>
      raw(http.port, { path, bare: true, headers: [`Host: ${host}`, 'Connection: close'] });
    for (const path of ['/api/health', '/api/me', '/api/boom', '/nothing', '/docs', '/%zz'])
      expect((await under('us.parley.example', path)).headers['strict-transport-security']).toBe('max-age=31536000');
    const others = [await under('127.0.0.1'), await under('evil.test'), await under('us.parley.example:4000')];
    for (const { headers } of others) expect(headers).not.toHaveProperty('strict-transport-security');
    const plain = await startHttpServer([], { baseUrl: 'http://us.parley.example' });
    const answer = await raw(plain.port, {
      path: '/api/health',
      bare: true,
      headers: ['Host: us.parley.example', 'Connection: close'],
    });
    expect(answer.headers).not.toHaveProperty('strict-transport-security');
    await plain.server.close();
  });

  it('a response has its own request ID, whatever the caller sent', async () => {
    const answers = await Promise.all([1, 2].map(() => get('/api/health', ['X-Request-Id: mine', 'Request-Id: mine'])));
    const ids = answers.map(({ headers }) => headers['x-request-id']);
    expect(new Set(ids).size).toBe(2);
    expect(ids[0]).toMatch(/^req_/);
  });

  it('the response of a failed handler reveals no details, which only the log has', async () => {
    const answer = await get('/api/boom', [AUTH]);
    expectProblem(answer, 500, 'internal_error');
    expect(answer.text).not.toContain('secret');
    const line = http.lines.find(({ request_id, err }) => request_id === answer.headers['x-request-id'] && err);
    expect(line?.err).toMatchObject({ message: expect.stringContaining('secret internals') });
  });

  it('a failed provider is a warning in the log, because no operator of Parley can repair it', async () => {
    const failing: Route = {
      ...boom,
      handle: () => {
        throw new Refusal('provider_failed', 'It returned HTML.', { cause: new Error('not JSON') });
      },
    };
    const warnings: object[] = [];
    const errors: object[] = [];
    const log = {
      info: () => {},
      warn: (line: object) => warnings.push(line),
      error: (line: object) => errors.push(line),
    };
    const own = await startHttpServer([failing], { log });
    const answer = await raw(own.port, { path: '/api/boom', headers: [AUTH] });
    expectProblem(answer, 502, 'provider_failed');
    expect(errors).toEqual([]);
    expect(warnings).toContainEqual({
      request_id: answer.headers['x-request-id'],
      err: expect.objectContaining({ message: 'not JSON' }),
    });
    await own.server.close();
  });

  it('a handler that lost the database gets 503 with Retry-After, and the response says whether the work may have been done', async () => {
    const read = await get('/api/gone', [AUTH]);
    expectProblem(read, 503, 'unavailable');
    expect(read.headers['retry-after']).toBe('1');
    const change = await raw(http.port, { method: 'POST', path: '/api/gone', headers: [AUTH] });
    expectProblem(change, 503, 'outcome_unknown');
    expect(change.headers['retry-after']).toBe('1');
  });

  it('a route with a rate limit sends its headers, also in later refusals', async () => {
    const bad = await raw(http.port, { method: 'POST', path: '/api/echo/1', headers: [AUTH, JSON_TYPE], body: '[' });
    expect(bad.headers).toMatchObject({ 'ratelimit-policy': '"key";q=600;w=60', ratelimit: '"key";r=599;t=60' });
  });

  it('a response that violates its schema becomes a 500 in tests', async () => {
    const wrong = await startHttpServer([{ ...echo, handle: () => ({ id: 7 }) }]);
    const answer = await raw(wrong.port, { method: 'POST', path: '/api/echo/1', headers: [AUTH] });
    expectProblem(answer, 500, 'internal_error');
    await wrong.server.close();
  });
});

describe('dashboard routes', () => {
  it('dashboard routes have their own access check, whose result the handler receives', async () => {
    const no = guarded(async () => {
      throw new Refusal('session_missing');
    }, 'no');
    const yes = guarded(() => 'Asha', 'yes');
    const later = guarded(async () => 'Asha', 'later');
    const own = await startHttpServer([no, yes, later]);
    const answers = await Promise.all(
      ['no', 'yes', 'later'].map((id) => raw(own.port, { path: `/dashboard/api/${id}` })),
    );
    expectProblem(answers[0]!, 401, 'session_missing');
    expect(answers.slice(1).map(({ text }) => text)).toEqual(['Asha', 'Asha']);
    await own.server.close();
  });
});

describe('the address of a client', () => {
  const where: Route = {
    ...boom,
    path: '/api/where',
    operation: { id: 'where', summary: 'Tell the address', tag: 'System' },
    responses: { 200: Type.Object({ ip: Type.String() }) },
    handle: (request) => ({ ip: request.ip }),
  };
  const ask = async (trustedProxies?: string[]): Promise<string> => {
    const own = await startHttpServer([where], trustedProxies && { trustedProxies });
    const { text } = await raw(own.port, {
      path: '/api/where',
      headers: [AUTH, 'X-Forwarded-For: 203.0.113.9, 198.51.100.7', 'X-Forwarded-Host: evil.example'],
    });
    await own.server.close();
    return (JSON.parse(text) as { ip: string }).ip;
  };

  it('only a trusted proxy can set the client address by X-Forwarded-For', async () => {
    expect(await ask()).toBe('127.0.0.1');
    expect(await ask(['10.0.0.0/8'])).toBe('127.0.0.1');
    expect(await ask(['127.0.0.0/8'])).toBe('198.51.100.7');
    expect(await ask(['127.0.0.1', '198.51.100.7'])).toBe('203.0.113.9');
  });
});
