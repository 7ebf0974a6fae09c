import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { freePort } from '../../test/program.ts';
import { createEgress, type Egress, type EgressOptions } from './egress.ts';

const open: { close(): unknown }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()));
});

async function listen(server: Server, host = '127.0.0.1', port = 0): Promise<number> {
  server.listen(port, host);
  await once(server, 'listening');
  open.push({
    close() {
      server.closeAllConnections();
      server.close();
    },
  });
  return (server.address() as AddressInfo).port;
}

const serve = (listener: RequestListener, host?: string, port?: number) => listen(createServer(listener), host, port);

function egressWith(options: EgressOptions): Egress {
  const egress = createEgress(options);
  open.push(egress);
  return egress;
}

const bodyOf = async (request: IncomingMessage) => Buffer.concat(await request.toArray()).toString();

/** Both ways through the guard; each rule must hold on both. */
const WAYS = {
  request: async (egress: Egress, url: string, bounds: { timeoutMs?: number; maxBytes?: number } = {}) => {
    const answer = await egress.request({ url, ...bounds });
    return { status: answer.status, text: answer.body.toString() };
  },
  fetch: async (egress: Egress, url: string, bounds: { timeoutMs?: number; maxBytes?: number } = {}) => {
    const answer = await egress.fetchWith(bounds)(url);
    return { status: answer.status, text: await answer.text() };
  },
};

describe('a server that repeats the request in its answer', () => {
  /** Long enough to arrive in several pieces. */
  const PADDING = 'x'.repeat(40_000);
  const repeat = () =>
    serve((request, response) => {
      void bodyOf(request).then((body) =>
        response
          .writeHead(400, { 'x-said': String(request.headers.authorization) })
          .end(PADDING + JSON.stringify({ url: request.url, headers: request.headers, body })),
      );
    });
  const basic = Buffer.from('account:the password of it').toString('base64');
  const SENT: [string, string, Record<string, string>, string][] = [
    ['a bearer token', '/', { authorization: 'Bearer token-of-the-caller' }, 'token-of-the-caller'],
    ['a password of Basic', '/', { authorization: `Basic ${basic}`, 'x-note': 'the password of it' }, 'password of it'],
    ['the text of Basic', '/', { authorization: `Basic ${basic}` }, basic],
    ['a key in a header', '/', { 'x-api-key': 'key-of-the-model' }, 'key-of-the-model'],
    ['a key in the query', '/?key=key-of-the-query', {}, 'key-of-the-query'],
    ['a token in the path', `/bot123456789:${'A'.repeat(35)}/getMe`, {}, 'AAAAAAAA'],
  ];

  it.each(SENT)('secrets of the request are removed from the answer: %s', async (_what, path, headers, secret) => {
    const url = `http://127.0.0.1:${await repeat()}${path}`;
    const answer = await egressWith({ allow: ['127.0.0.1'] }).request({ url, headers });
    const received = JSON.stringify(answer.headers) + answer.body.toString();
    expect([answer.status, received.includes('[redacted]'), received.includes(secret)]).toEqual([400, true, false]);
  });

  it.each(SENT)('secrets of a fetch are removed from the answer: %s', async (_what, path, headers, secret) => {
    const url = `http://127.0.0.1:${await repeat()}${path}`;
    const answer = await egressWith({ allow: ['127.0.0.1'] }).fetch(url, { headers });
    const received = JSON.stringify([...answer.headers]) + (await answer.text());
    expect([answer.status, received.includes('[redacted]'), received.includes(secret)]).toEqual([400, true, false]);
  });

  it('secrets of a form are removed, and the rest stays', async () => {
    const form = new URLSearchParams({ client_secret: 'of the client & ours', code: 'code-of-the-browser' });
    const url = `http://127.0.0.1:${await repeat()}/`;
    const answer = await egressWith({ allow: ['127.0.0.1'] }).fetch(url, { method: 'POST', body: form });
    const received = await answer.text();
    expect(received).not.toMatch(/of.the.client/);
    expect(received).toContain('code-of-the-browser');
  });
});

describe.each(Object.entries(WAYS))('egress by %s', (_name, call) => {
  it('an address that the operator allows is called', async () => {
    const port = await serve((_request, response) => response.end('here'));
    expect(await call(egressWith({ allow: ['127.0.0.1'] }), `http://127.0.0.1:${port}/`)).toEqual({
      status: 200,
      text: 'here',
    });
  });

  it.each([
    ['http to a private address', (port: number) => `http://127.0.0.1:${port}/`],
    ['https to a private address', (port: number) => `https://127.0.0.1:${port}/`],
    ['a name that resolves to one', (port: number) => `https://localhost:${port}/`],
    ['a decimal address', (port: number) => `https://2130706433:${port}/`],
    ['an octal address', (port: number) => `https://0177.0.0.1:${port}/`],
    ['a hexadecimal address', (port: number) => `https://0x7f.1:${port}/`],
    ['an IPv4-mapped address', (port: number) => `https://[::ffff:127.0.0.1]:${port}/`],
    ['an IPv4-compatible address', (port: number) => `https://[::127.0.0.1]:${port}/`],
    ['the address of nothing', (port: number) => `https://0.0.0.0:${port}/`],
    ['a NAT64 address', (port: number) => `https://[64:ff9b::7f00:1]:${port}/`],
    ['a full-width spelling', (port: number) => `https://１２７.０.０.１:${port}/`],
  ])('a call is refused: %s', async (_what, url) => {
    let connections = 0;
    const server = createServer((_request, response) => response.end('secret'));
    server.on('connection', () => connections++);
    const port = await listen(server);
    await expect(call(egressWith({ allow: [] }), url(port))).rejects.toMatchObject({ code: 'egress_refused' });
    expect(connections).toBe(0);
  });

  it('plain http to a public address is refused', async () => {
    const egress = egressWith({ allow: [], resolve: async () => ['93.184.215.14'] });
    await expect(call(egress, 'http://public.test/')).rejects.toMatchObject({ code: 'egress_refused' });
  });

  it.each(['ftp://127.0.0.1/', 'file:///etc/passwd', 'data:text/plain,x', 'not a url', 'http://u:p@127.0.0.1/'])(
    'a call of %s is refused even if the host is allowed',
    async (url) => {
      const refusal = await call(egressWith({ allow: ['127.0.0.1'] }), url).catch((error: unknown) => error);
      expect(refusal).toMatchObject({ name: 'EgressError', code: 'egress_refused' });
      expect(String(refusal)).not.toContain(url);
    },
  );

  it('a host name is refused if one of its addresses is private', async () => {
    const egress = egressWith({ allow: [], resolve: async () => ['93.184.215.14', '10.0.0.1'] });
    await expect(call(egress, 'https://mixed.test/')).rejects.toMatchObject({ code: 'egress_refused' });
  });

  it('the connection uses the checked address, even if the name resolves differently later (DNS rebinding)', async () => {
    const port = await freePort();
    await serve((_request, response) => response.end('judged'), '127.0.0.2', port);
    await serve((_request, response) => response.end('rebound'), '127.0.0.1', port);
    let asked = 0;
    const resolve = async () => (asked++ === 0 ? ['127.0.0.2'] : ['127.0.0.1']);
    const egress = egressWith({ allow: ['127.0.0.2/32'], resolve });
    expect(await call(egress, `http://rebind.test:${port}/`)).toEqual({ status: 200, text: 'judged' });
    expect(asked).toBe(1);
  });

  it('the Host header contains the name, not the address', async () => {
    const port = await serve((request, response) => response.end(request.headers.host));
    const egress = egressWith({ allow: ['named.test'], resolve: async () => ['127.0.0.1'] });
    expect((await call(egress, `http://named.test:${port}/`)).text).toBe(`named.test:${port}`);
  });

  it('the certificate is checked against the name only', async () => {
    const port = await listen(
      createTlsServer({ key: KEY, cert: CERTIFICATE }, (_request, response) => response.end('tls')),
    );
    const egress = egressWith({ allow: ['127.0.0.0/8'], resolve: async () => ['127.0.0.1'], ca: CERTIFICATE });
    expect((await call(egress, `https://hooks.test:${port}/`)).text).toBe('tls');
    await expect(call(egress, `https://other.test:${port}/`)).rejects.toMatchObject({ code: 'egress_unreachable' });
    const stranger = egressWith({ allow: ['127.0.0.0/8'], resolve: async () => ['127.0.0.1'] });
    await expect(call(stranger, `https://hooks.test:${port}/`)).rejects.toMatchObject({
      code: 'egress_unreachable',
      neverConnected: true,
    });
  });

  it('an error reports whether the server may have read the request', async () => {
    const nameless = egressWith({ allow: [], resolve: () => Promise.reject(new Error('the resolver is down')) });
    await expect(call(nameless, 'https://hooks.test/')).rejects.toMatchObject({ neverConnected: true });
    const nobody = `http://127.0.0.1:${await freePort()}/`;
    const egress = egressWith({ allow: ['127.0.0.1'] });
    await expect(call(egress, nobody)).rejects.toMatchObject({ neverConnected: true });
    const port = await serve((request) => request.socket.destroy());
    const hungUp = call(egress, `http://127.0.0.1:${port}/`);
    await expect(hungUp).rejects.toMatchObject({ code: 'egress_unreachable', neverConnected: false });
  });

  it('a redirect is returned and not followed', async () => {
    const paths: (string | undefined)[] = [];
    const port = await serve((request, response) => {
      paths.push(request.url);
      response.writeHead(302, { location: '/elsewhere' }).end();
    });
    expect((await call(egressWith({ allow: ['127.0.0.1'] }), `http://127.0.0.1:${port}/first`)).status).toBe(302);
    expect(paths).toEqual(['/first']);
  });

  it('reading stops when an answer is too large', async () => {
    const port = await serve((_request, response) => {
      const more = () => response.write('x'.repeat(1_000), (error) => error ?? setImmediate(more));
      more();
    });
    const egress = egressWith({ allow: ['127.0.0.1'] });
    await expect(call(egress, `http://127.0.0.1:${port}/`)).rejects.toMatchObject({ code: 'egress_too_large' });
  });

  it('an answer may be exactly as large as the limit', async () => {
    const port = await serve((_request, response) => response.end('x'.repeat(100_000)));
    const egress = egressWith({ allow: ['127.0.0.1'] });
    const { text } = await call(egress, `http://127.0.0.1:${port}/`, { maxBytes: 100_000 });
    expect(text).toHaveLength(100_000);
  });

  it('a call times out when its answer arrives too slowly', async () => {
    const port = await serve((_request, response) => {
      const drip = setInterval(() => response.write('.'), 20);
      response.on('close', () => clearInterval(drip));
    });
    const egress = egressWith({ allow: ['127.0.0.1'] });
    const slow = call(egress, `http://127.0.0.1:${port}/`, { timeoutMs: 200 });
    await expect(slow).rejects.toMatchObject({ code: 'egress_timeout' });
  });

  it('a call times out when the server never answers', async () => {
    const port = await serve(() => {});
    const egress = egressWith({ allow: ['127.0.0.1'] });
    const slow = call(egress, `http://127.0.0.1:${port}/`, { timeoutMs: 100 });
    await expect(slow).rejects.toMatchObject({ code: 'egress_timeout' });
  });

  it('a call does not wait for a resolver that never answers', async () => {
    const egress = egressWith({ allow: [], resolve: () => new Promise(() => {}) });
    const slow = call(egress, 'https://silent.test/', { timeoutMs: 100 });
    await expect(slow).rejects.toMatchObject({ code: 'egress_timeout' });
  });

  it('a refused connection and an unknown name are reported', async () => {
    const port = await serve(() => {});
    await Promise.all(open.splice(0).map((each) => each.close()));
    const egress = egressWith({ allow: ['127.0.0.1'] });
    await expect(call(egress, `http://127.0.0.1:${port}/`)).rejects.toMatchObject({ code: 'egress_unreachable' });
    await expect(call(egress, 'https://nowhere.invalid/')).rejects.toMatchObject({ code: 'egress_unreachable' });
  });

  it('a call tries the next address when the first one is dead', async () => {
    const port = await serve((_request, response) => response.end('second'), '127.0.0.1');
    const egress = egressWith({ allow: ['two.test'], resolve: async () => ['127.0.0.3', '127.0.0.1'] });
    expect((await call(egress, `http://two.test:${port}/`)).text).toBe('second');
  });

  it('connections are reused for later calls', async () => {
    let connections = 0;
    const server = createServer((_request, response) => response.end());
    server.on('connection', () => connections++);
    const port = await listen(server);
    const egress = egressWith({ allow: ['127.0.0.1'] });
    for (let i = 0; i < 10; i++) await call(egress, `http://127.0.0.1:${port}/`);
    expect(connections).toBeLessThan(3);
  });
});

describe('egress', () => {
  it('a call sends method, headers and body, and a Host header that matches the URL', async () => {
    const port = await serve((request, response) => {
      void bodyOf(request).then((body) =>
        response
          .setHeader('x-two', ['a', 'b'])
          .end(JSON.stringify([request.method, request.url, request.headers['x-one'], request.headers.host, body])),
      );
    });
    const egress = egressWith({ allow: ['127.0.0.1'] });
    const url = `http://127.0.0.1:${port}/p?q=1`;
    const expected = ['POST', '/p?q=1', 'yes', `127.0.0.1:${port}`, '{"a":1}'];
    const headers = { 'X-One': 'yes', HOST: 'inner.test' };
    const answer = await egress.request({ url, method: 'POST', headers, body: '{"a":1}' });
    expect(JSON.parse(answer.body.toString())).toEqual(expected);
    expect(answer.headers['x-two']).toBe('a, b');
    const fetched = await egress.fetch(url, { method: 'POST', headers, body: '{"a":1}' });
    expect(await fetched.json()).toEqual(expected);
  });

  it("a call ends with the caller's own reason when the caller aborts, before and during the answer", async () => {
    const port = await serve((_request, response) => response.write('begin'));
    const egress = egressWith({ allow: ['127.0.0.1'] });
    const url = `http://127.0.0.1:${port}/`;
    const reason = new Error('a newer message came');
    await expect(egress.request({ url, signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const controller = new AbortController();
    const answer = await egress.fetch(url, { signal: controller.signal });
    controller.abort(reason);
    await expect(answer.text()).rejects.toBe(reason);
  });

  it('the time limit of the caller survives garbage collection during the answer', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const port = await serve((_request, response) => response.write('begin'));
    const egress = egressWith({ allow: ['127.0.0.1'] });
    const turn = new AbortController();
    const call = () => {
      const signal = AbortSignal.any([turn.signal, AbortSignal.timeout(200)]);
      return egress.fetchWith({ timeoutMs: 5_000 })(`http://127.0.0.1:${port}/`, { signal });
    };
    const answer = await call();
    const collecting = setInterval(collect, 5);
    try {
      await expect(answer.text()).rejects.toMatchObject({ name: 'TimeoutError' });
    } finally {
      clearInterval(collecting);
    }
  });

  it('the size limit of a compressed answer applies to its unpacked size', async () => {
    const bomb = gzipSync(Buffer.alloc(10_000_000));
    const port = await serve((_request, response) => response.setHeader('content-encoding', 'gzip').end(bomb));
    const egress = egressWith({ allow: ['127.0.0.1'] });
    const answer = await egress.fetch(`http://127.0.0.1:${port}/`);
    await expect(answer.text()).rejects.toMatchObject({ code: 'egress_too_large' });
  });

  it('a streamed answer is passed on while it arrives', async () => {
    const port = await serve((_request, response) => response.write('first'));
    const answer = await egressWith({ allow: ['127.0.0.1'] }).fetch(`http://127.0.0.1:${port}/`);
    const reader = answer.body!.getReader();
    expect(Buffer.from((await reader.read()).value ?? '').toString()).toBe('first');
    await reader.cancel();
  });

  it('a URL can be checked without a call', async () => {
    const egress = egressWith({ allow: [], resolve: async () => ['93.184.215.14'] });
    await expect(egress.check('https://public.test/hook')).resolves.toBeUndefined();
    await expect(egress.check('http://public.test/hook')).rejects.toMatchObject({ code: 'egress_refused' });
    await expect(egress.check('https://10.0.0.1/hook')).rejects.toMatchObject({ code: 'egress_refused' });
    await expect(egress.check('https://public.test:6379/')).rejects.toMatchObject({ code: 'egress_refused' });
  });

  it('a check accepts a name that is not found yet, but not with plain http', async () => {
    const resolve = async () => [];
    const egress = egressWith({ allow: [], resolve });
    await expect(egress.check('https://nowhere.test/')).rejects.toMatchObject({ code: 'egress_unreachable' });
    await expect(egress.check('http://nowhere.test/')).rejects.toMatchObject({ code: 'egress_refused' });
    const allowing = egressWith({ allow: ['nowhere.test'], resolve });
    await expect(allowing.check('http://nowhere.test/')).rejects.toMatchObject({ code: 'egress_unreachable' });
  });
});

// For hooks.test, valid until 2120, created for this test and used nowhere else.
const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgvRu9fWjc8b7nkiEw
ftJxUWBLQEqwmLBF6vOfqlXpwb+hRANCAASJIMslw9uifmS2XOYw14/PqWFjyPeU
jU7sf/iZ74WHSsEU+nR/EpEUFEKlM4YqgNNOGeDwmZcrjU2xL3vwz+e5
-----END PRIVATE KEY-----`;
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBQzCB66ADAgECAgEBMAoGCCqGSM49BAMCMBUxEzARBgNVBAMMCmhvb2tzLnRl
c3QwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMBUxEzARBgNVBAMM
Cmhvb2tzLnRlc3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAASJIMslw9uifmS2
XOYw14/PqWFjyPeUjU7sf/iZ74WHSsEU+nR/EpEUFEKlM4YqgNNOGeDwmZcrjU2x
L3vwz+e5oyowKDAVBgNVHREEDjAMggpob29rcy50ZXN0MA8GA1UdEwEB/wQFMAMB
Af8wCgYIKoZIzj0EAwIDRwAwRAIgeaDDhiK+nEAnIB53RL3/L3l6dLpoOn4VVtq+
u+vD89QCICoIRnWz7sb4hu/FylXg1cyrZjkOjTm9LsvcCdvdP1yY
-----END CERTIFICATE-----`;
