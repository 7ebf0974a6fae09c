import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type LogEntry, Parley, type ParleyError, type ParleyOptions, type ResponseInfo } from '../src/parley.ts';

/**
 * Mistakes of the caller are reported immediately in a sentence. These tests also check the data that a caller can
 * observe of each call.
 */
let server: Server;
let baseUrl: string;
const calls: IncomingMessage[] = [];
let answer: { status: number; headers?: Record<string, string>; body?: unknown };

beforeAll(async () => {
  server = createServer((request, response) => {
    calls.push(request);
    request.resume();
    const { status, headers, body } = answer;
    response
      .writeHead(status, { 'x-request-id': 'req_1', ...headers })
      .end(body === undefined ? '' : JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => {
  calls.length = 0;
  answer = { status: 200, body: { ok: true } };
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const apiKey = 'parley_us_test';
const client = (options: Partial<ParleyOptions> = {}): Parley => new Parley({ apiKey, baseUrl, ...options });
const thrownBy = async (call: () => unknown): Promise<Error> => {
  try {
    await call();
  } catch (error) {
    return error as Error;
  }
  throw new Error('Nothing was thrown.');
};
const none = undefined as never;

describe('a fault of the caller is reported before the first attempt', () => {
  const end = { id: 'run_1', agent_id: 'agent_1', trigger_id: none };
  test.for<[string, () => unknown, RegExp]>([
    ['no options', () => new Parley(none), /baseUrl is missing/],
    ['no baseUrl', () => new Parley({ apiKey, baseUrl: undefined }), /baseUrl is missing.*https:/],
    ['a baseUrl without a scheme', () => client({ baseUrl: 'us.parley.example' }), /must begin with https:/],
    ['a baseUrl with another scheme', () => client({ baseUrl: 'localhost:4000' }), /must begin with https:/],
    ['a baseUrl with credentials', () => client({ baseUrl: 'http://a:b@localhost' }), /without credentials/],
    ['a baseUrl with a query', () => client({ baseUrl: 'http://localhost?a=1' }), /without credentials, query/],
    ['an undefined apiKey', () => client({ apiKey: undefined }), /apiKey is empty.*environment variable/],
    ['an empty apiKey', () => client({ apiKey: '' }), /apiKey is empty/],
    ['an apiKey that is not Latin-1', () => client({ apiKey: 'parley_us_مفتاح' }), /apiKey contains/],
    ['an apiKey with a line break', () => client({ apiKey: `${apiKey}\n` }), /apiKey contains.*line break/],
    ['a timeout that is no number', () => client({ timeout: Number.NaN }), /timeout must be/],
    ['a timeout of 0 for a call', () => client().me({ timeout: 0 }), /timeout must be/],
    ['a maxRetries that is no number', () => client({ maxRetries: Number.NaN }), /maxRetries must be/],
    ['a maxRetryDelay below 0', () => client({ maxRetryDelay: -1 }), /maxRetryDelay must be/],
    ['an undefined ID', () => client().triggers.start(none, 'trigger_1'), /ID after \/api\/triggers\/ .*undefined/],
    ['an undefined ID of a stream', () => client().triggers.stream('agent_1', none), /ID after .*undefined/],
    ['an undefined ID of a run', () => client().runs.stream(end).next(), /ID after .*undefined/],
    ['an undefined ID of a list', () => client().endUsers.conversations(none).page(), /ID after .*undefined/],
    ['a header that HTTP cannot send', () => client().me({ headers: { 'x-name': 'أهلا' } }), /cannot be sent/],
    ['a method that does not exist', () => client().request('NO METHOD', '/api/me'), /cannot be sent/],
    ['a GET with a body', () => client().request('GET', '/api/me', { body: {} }), /cannot be sent/],
    ['a body that JSON cannot express', () => client().request('POST', '/x', { body: { n: 1n } }), /cannot be sent/],
    ['a path without a slash', () => client().request('GET', 'api/me'), /begins with a slash/],
    [
      'an idempotencyKey of 256 characters',
      () => client().endUsers.create({}, { idempotencyKey: 'k'.repeat(256) }),
      /1 to 255 visible ASCII/,
    ],
    [
      'an idempotencyKey that is not ASCII',
      () => client().endUsers.bulk([{}], { idempotencyKey: 'مفتاح' }),
      /1 to 255 visible ASCII/,
    ],
  ])('%s', async ([, call, words]) => {
    const error = await thrownBy(call);
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toMatch(words);
    expect(calls).toHaveLength(0);
  });

  test.for([301, 302, 307, 308])('a redirect with status %i is neither followed nor repeated', async (status) => {
    answer = { status, headers: { location: 'https://other.example/api/me' } };
    const error = await thrownBy(() => client().me());
    expect(error).toMatchObject({ code: 'response_invalid', status, attempts: 1 });
    expect(error.message).toContain('redirects this call to https://other.example');
    expect(calls).toHaveLength(1);
  });

  test('the error explains that a route needs a key and the client has none', async () => {
    answer = { status: 401, body: { code: 'authorization_missing', detail: 'Send a header.', request_id: 'req_1' } };
    const error = await thrownBy(() => new Parley({ baseUrl }).me());
    expect(error.message).toBe(
      'authorization_missing: This client has no apiKey. Pass one: new Parley({ baseUrl, apiKey }).',
    );
  });
});

describe('for each call', () => {
  test('an error has the first fault in its message, and the response headers', async () => {
    const fault = (pointer: string) => ({ pointer, code: 'format', detail: 'Must be an e-mail address.' });
    const body = { code: 'validation_failed', detail: 'The body has faults.', request_id: 'req_1' };
    answer = {
      status: 422,
      headers: { 'x-limit': '7' },
      body: { ...body, errors: [fault('/email'), fault('/phone')] },
    };
    const error = await thrownBy(() => client().endUsers.create({ email: 'x' }));
    expect(error.message).toBe(
      'validation_failed: The body has faults. /email: Must be an e-mail address. (and 1 more)',
    );
    expect((error as ParleyError).headers?.get('x-limit')).toBe('7');
  });

  test('each request names the library and its runtime', async () => {
    await client().me();
    expect(calls[0]!.headers['user-agent']).toMatch(/^parley-sdk\/source Node\.js\/\d+$/);
  });

  test('status, headers and the raw response are available', async () => {
    answer = { status: 202, headers: { 'idempotent-replayed': 'true' }, body: { id: 'run_1' } };
    const seen: ResponseInfo[] = [];
    await client().triggers.start('agent_1', 'trigger_1', {}, { onResponse: (response) => seen.push(response) });
    expect(seen).toMatchObject([{ status: 202, requestId: 'req_1', attempts: 1 }]);
    expect(seen[0]!.headers.get('idempotent-replayed')).toBe('true');
    const raw = await client().raw('POST', '/api/anything', { body: {} });
    expect([raw.status, await raw.json()]).toEqual([202, { id: 'run_1' }]);
    const thrown = new Error('mine');
    const onResponse = (): void => {
      throw thrown;
    };
    expect(await thrownBy(() => client().me({ onResponse }))).toBe(thrown);
    expect(calls).toHaveLength(3);
  });

  test('each attempt has a log entry without key, body and query', async () => {
    const entries: LogEntry[] = [];
    const plain = { method: 'GET', path: '/api/end-users', requestId: 'req_1' };
    const parley = client({ log: (entry) => entries.push(entry) });
    answer.body = { data: [], has_more: false, next_cursor: null };
    await parley.endUsers.list({ email: 'asha@example.qa' }).page();
    expect(entries).toMatchObject([{ ...plain, attempt: 1, status: 200, code: null, retryIn: null }]);
    expect(JSON.stringify(entries)).not.toMatch(/parley_us_test|asha/);

    answer = { status: 503, headers: { 'retry-after': '0' }, body: { code: 'unavailable', request_id: 'req_1' } };
    entries.length = 0;
    await thrownBy(() => parley.me({ maxRetries: 1 }));
    expect(entries).toMatchObject([
      { attempt: 1, status: 503, code: 'unavailable', retryIn: expect.any(Number) },
      { attempt: 2, status: 503, code: 'unavailable', retryIn: null },
    ]);
  });

  test('a call succeeds even if the log function throws', async () => {
    const log = (): void => {
      throw new Error('The disk is full.');
    };
    expect(await client({ log }).me()).toEqual({ ok: true });
  });

  test('the timeout may be infinite', async () => {
    expect(await client({ timeout: Infinity }).me()).toEqual({ ok: true });
  });
});

describe('rows', () => {
  /** Responds like the server, which cannot parse a body that contains half of an emoji. */
  const half = String.fromCharCode(0xd83d);
  const fetch: typeof globalThis.fetch = async (_url, init) => {
    const text = init!.body as string;
    keys.push(new Headers(init!.headers).get('idempotency-key')!);
    if (text.includes(String.raw`\ud83d`))
      return new Response('{"code":"body_invalid","detail":"A lone surrogate."}', { status: 400 });
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(262_144);
    const body = JSON.parse(text) as Record<string, unknown[]>;
    const rows = body['end_users'] ?? body['recipients']!;
    const results = rows.map((_, index) => ({ index, status: body['end_users'] ? 'created' : 'pending', errors: [] }));
    return Response.json({ results });
  };
  const keys: string[] = [];
  beforeEach(() => void (keys.length = 0));

  test('a row that is too large is reported with its index, and all other rows are written', async () => {
    const rows = Array.from({ length: 12 }, (_, n) => ({ external_id: `crm-${n}`, name: 'x' }));
    rows[3]!.name = 'x'.repeat(300_000);
    rows[8]!.name = half;
    const wrong: unknown[] = [];
    const counts = await client({ fetch }).endUsers.bulk(rows, {
      onResult: ({ index, status, errors }, row) =>
        status === 'invalid' && wrong.push([index, row.external_id, errors[0]!.code]),
    });
    expect(counts).toEqual({ created: 10, updated: 0, invalid: 2 });
    expect(wrong).toEqual([
      [3, 'crm-3', 'too_long'],
      [8, 'crm-8', 'body_invalid'],
    ]);
  });

  test('a recipient that is too large is reported, and all other recipients are written', async () => {
    const large = { end_user: { external_id: 'x'.repeat(300_000) }, ref: 'large' };
    const wrong: unknown[] = [];
    const counts = await client({ fetch }).campaigns.push('campaign_1', [large, { end_user: { external_id: 'b' } }], {
      onResult: ({ index, ref, status, reason }) => status === 'invalid' && wrong.push([index, ref, reason]),
    });
    expect(counts).toEqual({ accepted: 1, duplicates: 0, suppressed: 0, invalid: 1 });
    expect(wrong).toEqual([[0, 'large', 'too_long']]);
  });

  test('each batch has its own Idempotency-Key of at most 255 characters, derived from that of the caller', async () => {
    const rows = [{ external_id: 'a' }, { external_id: 'b' }];
    const upload = async (idempotencyKey: string) => {
      keys.length = 0;
      await client({ fetch }).endUsers.bulk(rows, { idempotencyKey, batchSize: 1 });
      return [...keys];
    };
    const [one, again, other] = [
      await upload('k'.repeat(255)),
      await upload('k'.repeat(255)),
      await upload(`${'k'.repeat(254)}l`),
    ];
    expect(again).toEqual(one);
    expect(new Set([...one, ...other]).size).toBe(4);
    for (const key of [...one, ...other]) expect(key).toMatch(/^[\x21-\x7e]{1,255}$/);
  });
});
