import { once } from 'node:events';
import type { Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { AUTH, echo, startHttpServer, type TestHttpServer } from '../../../test/http-server.ts';
import { head, raw, rawExchange } from '../../../test/raw-http.ts';
import type { HttpDeps } from './http-deps.ts';

let http: TestHttpServer;
afterEach(() => http.server.close());

const JSON_TYPE = 'Content-Type: application/json';
const QUICK = { requestMs: 300, checkMs: 50, keepAliveMs: 10_000 };
const start = async (overrides: Partial<HttpDeps> = {}): Promise<void> => {
  http = await startHttpServer([slow], { timeouts: QUICK, ...overrides });
};
const keptAlive = (path: string): string => head({ path, headers: ['Host: a', AUTH], bare: true });

let release = (): void => undefined;
let reach = (): void => undefined;
/** Resolves when the next slow call has reached its handler, even on a busy machine. */
const reached = (): Promise<void> =>
  new Promise((resolve) => {
    reach = resolve;
  });
const slow = {
  ...echo,
  handle: async () => {
    await new Promise<void>((resolve) => {
      release = resolve;
      reach();
    });
    return { id: 'done' };
  },
  responses: { 200: { type: 'object' } },
};
const slowCall = head({ method: 'POST', path: '/api/echo/1', headers: ['Host: a', AUTH], bare: true });

describe('a request that arrives too slowly', () => {
  it.each([
    ['in its headers', ['GET /api/health HTTP/1.1\r\nHo']],
    ['before its first byte', []],
    [
      'in its body',
      [head({ method: 'POST', path: '/api/echo/1', headers: [AUTH, JSON_TYPE, 'Content-Length: 20'] }), '{"te'],
    ],
  ])('a slow request is ended with 408 %s', async (_where, pieces) => {
    await start();
    const { answers, closed } = await rawExchange(http.port, pieces, 5_000);
    expect(answers[0]?.json()).toMatchObject({ status: 408, code: 'request_timeout' });
    expect(answers[0]?.headers['x-request-id']).toBe(answers[0]?.json().request_id);
    expect(closed).toBe(true);
  });

  it('a slow request is ended, even if a byte arrives from time to time', async () => {
    await start();
    const drops = Array.from({ length: 20 }, () => [60, 'x']).flat();
    const request = head({ method: 'POST', path: '/api/echo/1', headers: [AUTH, JSON_TYPE, 'Content-Length: 1000'] });
    const { answers } = await rawExchange(http.port, [request, ...drops], 1_500);
    expect(answers[0]?.status).toBe(408);
  });

  it('a slow handler is not ended', async () => {
    await start();
    const underWay = reached();
    const call = rawExchange(http.port, [slowCall], 300);
    await underWay;
    setTimeout(() => release(), 600);
    expect((await call).answers[0]?.status).toBe(200);
  });

  it('a kept-alive connection that waits for its next request is not ended', async () => {
    await start();
    const { answers } = await rawExchange(http.port, [keptAlive('/api/health'), 700, keptAlive('/api/health')], 300, 2);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  });
});

describe('stopping', () => {
  it('a server that stops answers /ready with 503 and other requests as before, and asks every client to leave', async () => {
    await start();
    expect((await raw(http.port, { path: '/ready' })).json()).toEqual({ status: 'ready' });
    http.server.drain();
    const refused = await raw(http.port, { path: '/ready' });
    expect([refused.status, refused.json().code]).toEqual([503, 'unavailable']);
    expect(refused.headers['retry-after']).toBeDefined();
    const { answers, closed } = await rawExchange(http.port, [keptAlive('/api/me')], 5_000);
    expect([answers[0]?.status, answers[0]?.headers.connection, closed]).toEqual([200, 'close', true]);
  });

  it('a stop finishes a request in progress and then closes its connection', async () => {
    await start();
    const underWay = reached();
    const call = rawExchange(http.port, [slowCall], 3_000);
    await underWay;
    const closing = http.server.close();
    setTimeout(() => release(), 100);
    const { answers, closed } = await call;
    expect([answers[0]?.status, answers[0]?.headers.connection, closed]).toEqual([200, 'close', true]);
    await closing;
  });

  it('a request that is only half received when the stop begins is still answered', async () => {
    await start({ timeouts: { ...QUICK, requestMs: 30_000 } });
    const connected = once(http.server.server, 'connection');
    const stopping = Promise.withResolvers<void>();
    const halves = ['GET /api/me HTTP/1.1\r\nHost: a\r\n', stopping.promise, `${AUTH}\r\n\r\n`];
    const call = rawExchange(http.port, halves, 5_000);
    const [socket] = (await connected) as [Socket];
    await expect.poll(() => socket.bytesRead).toBeGreaterThan(0);
    const closing = http.server.close();
    // From here on idle connections are closed repeatedly; this one is not idle.
    setTimeout(stopping.resolve, 100);
    const { answers } = await call;
    expect([answers[0]?.status, answers[0]?.headers.connection]).toEqual([200, 'close']);
    await closing;
  });

  it('a stop does not wait for connections that are idle or never sent a byte', async () => {
    await start({ timeouts: { ...QUICK, requestMs: 30_000 } });
    let connections = 0;
    http.server.server.on('connection', () => connections++);
    const idle = rawExchange(http.port, [keptAlive('/api/health')], QUICK.keepAliveMs * 2);
    const silent = rawExchange(http.port, []);
    // The first is answered and kept open, the second is connected.
    await expect.poll(() => [connections, http.lines.length]).toEqual([2, 1]);
    const began = performance.now();
    await http.server.close();
    // A close that waits for an idle connection would wait until its keep-alive ends.
    expect(performance.now() - began).toBeLessThan(QUICK.keepAliveMs / 2);
    expect([(await idle).closed, (await silent).closed]).toEqual([true, true]);
  });

  it('a stop ends the remaining connections after the deadline', async () => {
    await start({ timeouts: { ...QUICK, drainMs: 200 } });
    const underWay = reached();
    const call = rawExchange(http.port, [slowCall], 3_000);
    await underWay;
    await http.server.close();
    expect((await call).answers).toEqual([]);
  });
});

describe('/ready', () => {
  it.each([
    [
      'says no',
      async () => ({ ok: false, detail: 'The database is not reachable.' }),
      'The database is not reachable.',
    ],
    ['fails', () => Promise.reject(new Error('secret')), 'The readiness check failed.'],
    ['never answers', () => new Promise<never>(() => {}), 'The readiness check timed out.'],
  ])('the status is 503 if the check %s', async (_what, ready, detail) => {
    await start({ ready });
    const answer = await raw(http.port, { path: '/ready' });
    expect([answer.status, answer.json().detail]).toEqual([503, detail]);
  });
});

describe('the log', () => {
  it('each request has one log line with route, status, time and caller, but without its content', async () => {
    await start();
    await raw(http.port, { path: '/api/me?secret=sesame', headers: [AUTH, 'X-Secret: sesame'] });
    await raw(http.port, { path: '/nope/sesame' });
    await expect.poll(() => http.lines.length).toBe(2);
    const line = { method: 'GET', ms: expect.any(Number), request_id: expect.stringMatching(/^req_/) };
    expect(http.lines).toEqual([
      {
        ...line,
        route: '/api/me',
        status: 200,
        key_id: expect.stringMatching(/^key_/),
        org_id: expect.stringMatching(/^org_/),
        cut_off: undefined,
      },
      { ...line, route: null, status: 404, code: 'route_not_found', key_id: null, org_id: null, cut_off: undefined },
    ]);
    expect(JSON.stringify(http.lines)).not.toMatch(/sesame|test-key/);
  });

  it('unreadable data has a log line with the request ID of its response', async () => {
    await start();
    const { answers } = await rawExchange(http.port, ['GARBAGE\r\n\r\n']);
    expect(http.lines).toMatchObject([{ status: 400, request_id: answers[0]?.json().request_id }]);
  });
});
