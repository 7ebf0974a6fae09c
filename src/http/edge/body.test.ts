import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAX_BODY_BYTES } from '../../../contract/limits.ts';
import { AUTH, echo, startHttpServer, type TestHttpServer } from '../../../test/http-server.ts';
import { head, raw, rawExchange } from '../../../test/raw-http.ts';

let http: TestHttpServer;
beforeAll(async () => {
  const strict = {
    ...echo,
    path: '/api/strict/:id',
    bodyOptional: false,
    operation: { ...echo.operation, id: 'strict' },
  };
  http = await startHttpServer([echo, strict]);
});
afterAll(() => http.server.close());

const JSON_TYPE = 'Content-Type: application/json';
const post = (body: string | Buffer, headers: readonly string[] = [JSON_TYPE], path = '/api/echo/1') =>
  raw(http.port, { method: 'POST', path, headers: [AUTH, ...headers], body });
const codeOf = async (...args: Parameters<typeof post>): Promise<string> => {
  const answer = await post(...args);
  return `${answer.status} ${(answer.json() as { code?: string }).code ?? ''}`.trim();
};
const chunked = (...chunks: string[]): string =>
  `${chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join('')}0\r\n\r\n`;

const padded = (bytes: number): string => `{"free":{"a":"${'x'.repeat(bytes - 17)}"}}`;

describe('400 body_invalid', () => {
  it.each([
    ['broken JSON', '{"text":'],
    ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ['overlong UTF-8', Buffer.from([0x22, 0xc0, 0xaf, 0x22])],
    ['a byte order mark', Buffer.from('\ufeff{}')],
    ['UTF-16', Buffer.from('{}', 'utf16le')],
    ['a raw NUL', '{"text":"\0"}'],
    ['an escaped NUL', '{"text":"\\u0000"}'],
    ['a lone surrogate', '{"text":"\\ud800"}'],
    ['33 levels', `${'{"free":'.repeat(33)}1${'}'.repeat(33)}`],
    ['100,000 levels', '['.repeat(100_000)],
    ['1,001 keys', JSON.stringify({ free: Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [i, i])) })],
    ['a key given twice', '{"text":"a","text":"b"}'],
    ['only spaces', '  '],
  ])('refuses %s', async (_what, body) => {
    expect(await codeOf(body)).toBe('400 body_invalid');
  });

  it('a body that contains only a byte order mark is refused with an explanation', async () => {
    expect((await post('\ufeff{}')).json().detail).toBe('The body starts with a byte order mark.');
  });

  it('an empty body is refused where one is required', async () => {
    expect(await codeOf('', [JSON_TYPE], '/api/strict/1')).toBe('400 body_invalid');
  });
});

describe('an optional body', () => {
  it.each([
    ['no body and no type', undefined, []],
    ['no bytes', '', []],
    ['no bytes of another type', '', ['Content-Type: text/plain']],
    ['an empty object', '{}', [JSON_TYPE]],
  ])('an optional body is {} if there is %s', async (_what, body, headers) => {
    const answer = await raw(http.port, { method: 'POST', path: '/api/echo/1', headers: [AUTH, ...headers], body });
    expect([answer.status, answer.text]).toEqual([200, '{"body":{},"id":"1"}']);
  });

  it('an optional body is {} if a chunked body ends without a byte', async () => {
    const answer = await raw(http.port, {
      method: 'POST',
      path: '/api/echo/1',
      headers: [AUTH, JSON_TYPE, 'Transfer-Encoding: chunked'],
      body: chunked(),
    });
    expect(answer.json().body).toEqual({});
  });
});

describe('415 unsupported_media_type', () => {
  it.each([
    ['no type', []],
    ['a form', ['Content-Type: application/x-www-form-urlencoded']],
    ['text', ['Content-Type: text/plain']],
    ['another JSON', ['Content-Type: application/merge-patch+json']],
    ['JSON in UTF-16', ['Content-Type: application/json; charset=utf-16']],
    ['JSON in Latin-1', ['Content-Type: application/json;charset=iso-8859-1']],
    ['an unknown parameter', ['Content-Type: application/json; version=2']],
    ['two types', [JSON_TYPE, 'Content-Type: text/plain']],
    ['gzip', [JSON_TYPE, 'Content-Encoding: gzip']],
    ['gzip after identity', [JSON_TYPE, 'Content-Encoding: identity, gzip']],
    ['nonsense', ['Content-Type: ;;']],
  ])('refuses %s', async (_what, headers) => {
    expect(await codeOf('{}', headers)).toBe('415 unsupported_media_type');
  });

  it.each([
    'application/json; charset=utf-8',
    'Application/JSON;charset="UTF-8"',
    'application/json ; charset=UTF-8',
    'application/json;',
  ])('accepts %s', async (type) => {
    expect(await codeOf('{}', [`Content-Type: ${type}`])).toBe('200');
  });

  it('the encoding "identity" is accepted', async () => {
    expect(await codeOf('{}', [JSON_TYPE, 'Content-Encoding: identity'])).toBe('200');
  });
});

describe('413 payload_too_large', () => {
  it('a body may have exactly 256 KiB, and not one byte more', async () => {
    expect(Buffer.byteLength(padded(MAX_BODY_BYTES))).toBe(MAX_BODY_BYTES);
    expect(await codeOf(padded(MAX_BODY_BYTES))).toBe('200');
    expect(await codeOf(padded(MAX_BODY_BYTES + 1))).toBe('413 payload_too_large');
  });

  it('a body whose declared length is too large is refused before it arrives', async () => {
    const request = head({
      method: 'POST',
      path: '/api/echo/1',
      headers: [AUTH, JSON_TYPE, 'Content-Length: 99999999'],
    });
    const { answers } = await rawExchange(http.port, [request], 300);
    expect(answers[0]?.json()).toMatchObject({ code: 'payload_too_large', detail: 'Send at most 256 KiB.' });
    expect(answers[0]?.headers['connection']).toBe('close');
  });

  it('a chunked body that becomes too large is refused before its end', async () => {
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
    const request = head({
      method: 'POST',
      path: '/api/echo/1',
      headers: [AUTH, JSON_TYPE, 'Transfer-Encoding: chunked'],
    });
    const { answers } = await rawExchange(http.port, [request, chunk.repeat(5)], 300);
    expect(answers[0]?.json().code).toBe('payload_too_large');
  });

  it('a sender that writes everything first can read the response', async () => {
    const body = 'x'.repeat(16 * 1024 * 1024);
    const request = head({ method: 'POST', path: '/api/echo/1', headers: [AUTH, JSON_TYPE], body });
    const socket = connect(http.port, '127.0.0.1');
    const failed = once(socket, 'error').then(([error]) => error as Error);
    const written = new Promise<string>((resolve) => socket.write(request + body, () => resolve('written')));
    expect(await Promise.race([written, failed])).toBe('written');
    expect(String((await once(socket, 'data'))[0])).toContain('HTTP/1.1 413');
    socket.destroy();
  });

  it('the size check comes after the type check, and both come before the content is read', async () => {
    expect(await codeOf('x'.repeat(MAX_BODY_BYTES + 1), ['Content-Type: text/plain'])).toBe(
      '415 unsupported_media_type',
    );
  });
});

describe('422 validation_failed', () => {
  it.each(['[]', 'null', '"text"', '12', 'true'])(
    'the body %s is refused because it is JSON but not an object',
    async (body) => {
      const answer = await post(body);
      expect(answer.json()).toMatchObject({ status: 422, errors: [{ pointer: '', code: 'type' }] });
    },
  );

  it('the response names each fault and repeats no part of the body', async () => {
    const answer = await post('{"text":"sesame-open-wide","other":"sesame"}');
    expect(answer.status).toBe(422);
    expect(answer.json().errors.map((fault: { pointer: string }) => fault.pointer)).toEqual(['/other', '/text']);
    expect(answer.text).not.toContain('sesame');
  });

  it('a route without a declared body accepts only {} and an empty body', async () => {
    const server = await startHttpServer([{ ...echo, body: undefined, bodyOptional: undefined }]);
    const send = (body?: string) =>
      raw(server.port, { method: 'POST', path: '/api/echo/1', headers: [AUTH, JSON_TYPE], body });
    expect((await send('{"a":1}')).status).toBe(422);
    expect((await send('{}')).status).toBe(200);
    expect((await send()).status).toBe(200);
    await server.server.close();
  });
});

describe('a body that arrives slowly or in an unusual way', () => {
  it('a body is joined from its pieces, even if a character is split in two', async () => {
    const bytes = Buffer.from('{"text":"é"}');
    const request = head({
      method: 'POST',
      path: '/api/echo/1',
      headers: [AUTH, JSON_TYPE, `Content-Length: ${bytes.length}`],
    });
    const { answers } = await rawExchange(http.port, [request, bytes.subarray(0, 10), 30, bytes.subarray(10)]);
    expect(answers[0]?.json().body).toEqual({ text: 'é' });
  });

  it('the server requests the body only after it has granted access', async () => {
    const headers = [JSON_TYPE, 'Expect: 100-continue', 'Content-Length: 2'];
    const stranger = await rawExchange(http.port, [head({ method: 'POST', path: '/api/echo/1', headers })], 300);
    expect(stranger.answers.map(({ status }) => status)).toEqual([401]);
    const caller = [head({ method: 'POST', path: '/api/echo/1', headers: [AUTH, ...headers] }), 50, '{}'];
    expect((await rawExchange(http.port, caller, 300, 2)).answers.map(({ status }) => status)).toEqual([100, 200]);
  });

  it('a body that ends too early has no effect except a log entry', async () => {
    const before = http.lines.length;
    const connected = once(http.server.server, 'connection');
    const request = `${head({ method: 'POST', path: '/api/echo/1', headers: [AUTH, JSON_TYPE, 'Content-Length: 20'] })}{"te`;
    const client = connect(http.port, '127.0.0.1').on('error', () => {});
    client.write(request);
    const [socket] = (await connected) as [Socket];
    await expect.poll(() => socket.bytesRead).toBe(request.length);
    client.destroy();
    await expect.poll(() => http.lines.length).toBe(before + 1);
    expect(http.lines.at(-1)).toMatchObject({ route: '/api/echo/:id', cut_off: true });
    expect((await post('{}')).status).toBe(200);
  });
});
