import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { startTestApp, type TestApp } from '../../test/app.ts';
import { givenTrigger } from '../../test/factories.ts';
import { type SignedIn, signedInOwner } from '../../test/signed-in.ts';
import { newWebhookSecret, signWebhook } from '../../src/kernel/standard-webhooks.ts';
import {
  accepted,
  later,
  reply,
  type Turn,
  type TurnAnswer,
  turns,
  type TurnReply,
  type TurnRequested,
} from '../src/parley.ts';

/** The library as the customer's server, and a real Parley that asks it. */
let parley: TestApp;
let call: SignedIn;
let path: string;
let agent: string;
let secret: string;
let key: string;
let server: Server;
let listener: (request: IncomingMessage, response: ServerResponse) => unknown = () => {};

beforeAll(async () => {
  server = createServer((request, response) => void listener(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  parley = await startTestApp({ PARLEY_EGRESS_ALLOW: '127.0.0.1' });
  const owner = await signedInOwner(parley);
  call = (wanted, body) => owner.call(wanted.replace(' ', ` /organizations/${owner.orgId}`), body);
  const definition = { provider: 'http', url, time_limit_seconds: 20 };
  agent = (await call('POST /agents', { name: 'Concierge', definition })).body.id;
  ({ secret } = (await call(`POST /agents/${agent}/secret`)).body);
  path = `/api/triggers/${agent}/${await givenTrigger(parley.db, owner.orgId, agent)}`;
  key = (await parley.key(owner.orgId)).value;
});
afterEach(() => {
  listener = () => {};
});
afterAll(async () => {
  await parley.stop();
  server.closeAllConnections();
  server.close();
});

/** The reply URL has the address of the configuration, and the test app listens at a free port. */
const here = <T extends Pick<TurnRequested, 'turn'>>(turn: T): T => ({
  ...turn,
  turn: { ...turn.turn, reply_url: parley.url + new URL(turn.turn.reply_url).pathname },
});
const ask = async (message: string) => {
  const { body } = await parley.call('POST', path, { key, body: { message }, headers: { prefer: 'wait=15' } });
  return body.messages
    ?.filter(({ role }: { role: string }) => role === 'agent')
    .map((one: never) => one['content']['text']);
};

async function* pieces(...texts: string[]): AsyncGenerator<string, TurnAnswer | undefined> {
  for (const text of texts) yield text;
  return undefined;
}

const replies: [string, (turn: Turn) => TurnReply | Promise<TurnReply>, string[]][] = [
  ['a text', ({ text }) => `You wrote: ${text}`, ['You wrote: Hello']],
  ['an answer', () => ({ messages: [{ content: { type: 'text', text: 'Hi' } }], next: 'complete' }), ['Hi']],
  ['a stream', () => pieces('On ', 'Monday.'), ['On Monday.']],
  [
    'a stream that returns the whole answer',
    async function* () {
      yield 'On ';
      return { messages: [{ content: { type: 'text', text: 'On Monday.' } }], tags: ['x'] };
    } as never,
    ['On Monday.'],
  ],
];

describe('turns', () => {
  test.each(replies)('own code answers with %s on a Node server', async (_name, answer, texts) => {
    const handler = turns(secret, answer);
    listener = (request, response) => void handler(request, response);
    expect(await ask('Hello')).toEqual(texts);
  });

  test.each(replies)(
    'own code answers with %s on a server that maps a Request to a Response',
    async (_name, answer, texts) => {
      const handler = turns(secret, answer);
      listener = async (request, response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of request) chunks.push(chunk as Buffer);
        const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)]);
        const given = await handler(new Request('http://x', { method: 'POST', headers, body: Buffer.concat(chunks) }));
        response.writeHead(given.status, Object.fromEntries(given.headers));
        for await (const chunk of given.body ?? []) response.write(chunk);
        response.end();
      };
      expect(await ask('Hello')).toEqual(texts);
    },
  );

  test('own code answers later, in the same process', async () => {
    let asked: Turn | undefined;
    const handler = turns(secret, (turn) => {
      asked = turn;
      return accepted;
    });
    listener = (request, response) => void handler(request, response);
    const answer = ask('Hello');
    await expect.poll(() => asked).toBeDefined();
    expect(await reply(here(asked!), 'Later.')).toBe('accepted');
    expect(await reply(here(asked!), 'Later.')).toBe('accepted');
    expect(await reply(here(asked!), 'Other.')).toBe('superseded');
    expect(await answer).toEqual(['Later.']);
    await expect(reply(here(asked!), { messages: 'x' } as never)).rejects.toMatchObject({
      code: 'validation_failed',
      errors: [{ pointer: '/messages' }],
    });
  });

  test('an answer is sent with a signal on the oldest Node, and again when the server asks for a pause', async () => {
    const any = AbortSignal.any;
    // Node 20.0 does not have this function.
    Reflect.deleteProperty(AbortSignal, 'any');
    const answers = [
      new Response('{}', { status: 429, headers: { 'retry-after': '0' } }),
      new Response(null, { status: 204 }),
    ];
    const send = vi.spyOn(globalThis, 'fetch').mockImplementation(() => Promise.resolve(answers.shift()!));
    try {
      const deadline = new Date(Date.now() + 10_000).toISOString();
      const turn = { deadline, reply_url: 'https://parley.example/reply', reply_token: 'token' } as Turn['turn'];
      expect(await reply({ turn }, 'Later.', { signal: new AbortController().signal })).toBe('accepted');
      expect(answers).toEqual([]);
      // A redirected call would become a GET without the answer.
      expect(send.mock.calls[0]![1]).toMatchObject({ method: 'POST', redirect: 'manual' });
    } finally {
      send.mockRestore();
      AbortSignal.any = any;
    }
  });

  test('a later answer is returned immediately in the test chat, where no run can wait', async () => {
    const handler = turns(secret, () => later(async () => 'The report.'));
    listener = (request, response) => void handler(request, response);
    const tried = await call(`POST /agents/${agent}/playground`, { messages: [{ role: 'end_user', text: 'Hi' }] });
    expect([tried.status, tried.body.messages[0].content.text]).toEqual([200, 'The report.']);
  });

  const signed = (by: string, body: string) =>
    new Request('http://x', { method: 'POST', body, headers: signWebhook(by, 'turn_1', new Date(), body) });
  const body = JSON.stringify({ type: 'turn.requested', turn: {}, run: { id: 'run_1' }, messages: [] });

  test('a call with a wrong signature is refused before the function is called', async () => {
    const errors: unknown[] = [];
    let isAsked = false;
    const handler = turns(
      secret,
      () => {
        isAsked = true;
        return 'Hi';
      },
      { onError: (error) => errors.push(error) },
    );
    expect((await handler(signed(newWebhookSecret(), body))).status).toBe(401);
    expect((await handler(signed(secret, body))).status).toBe(200);
    expect([isAsked, String(errors[0])]).toEqual([true, expect.stringContaining('No signature matches')]);
  });

  test('a body that is larger than any turn is refused, and not stored', async () => {
    const errors: unknown[] = [];
    const handler = turns(secret, () => 'Hi', { onError: (error) => errors.push(error) });
    let pulled = 0;
    const endless = (): ReadableStream<Uint8Array> =>
      new ReadableStream({
        pull: (controller) => {
          // Without a limit, this test would never end.
          if (++pulled > 100) controller.close();
          else controller.enqueue(new Uint8Array(1024 * 1024));
        },
      });
    const sent = (headers: Record<string, string> = {}) =>
      new Request('http://x', { method: 'POST', headers, body: endless(), duplex: 'half' });
    expect((await handler(sent())).status).toBe(413);
    expect(pulled).toBeLessThan(20);
    pulled = 0;
    expect((await handler(sent({ 'content-length': '17000000' }))).status).toBe(413);
    expect(pulled).toBeLessThan(3);
    expect(errors.map(String)).toEqual(errors.map(() => expect.stringContaining('does not come from Parley')));
  });

  test.each([
    ['with a length', { 'content-length': String(17 * 1024 * 1024) }],
    ['without a length', {}],
  ])('a body that is larger than any turn is refused on a Node server: %s', async (_name, headers) => {
    const errors: unknown[] = [];
    const handler = turns(secret, () => 'Hi', { onError: (error) => errors.push(error) });
    listener = (request, response) => void handler(request, response);
    const { port } = server.address() as AddressInfo;
    const status = await new Promise<number | undefined>((resolve) => {
      const sending = request({ port, host: '127.0.0.1', method: 'POST', headers, agent: false });
      // Without a length, the server closes the connection.
      sending.on('error', () => resolve(undefined)).on('response', (response) => resolve(response.statusCode));
      for (let n = 0; n < 17; n++) sending.write(Buffer.alloc(1024 * 1024));
      sending.end();
    });
    expect([413, undefined]).toContain(status);
    await expect.poll(() => errors.map(String)).toEqual([expect.stringContaining('does not come from Parley')]);
  });

  test('an error of the function is reported, and so is an error of a later answer', async () => {
    const errors: unknown[] = [];
    const onError = (error: unknown) => void errors.push(error);
    const fails = turns(secret, () => Promise.reject(new Error('broken')), { onError });
    expect((await fails(signed(secret, body))).status).toBe(500);
    const failsLater = turns(secret, () => later(() => Promise.reject(new Error('broken later'))), { onError });
    expect((await failsLater(signed(secret, body))).status).toBe(202);
    await expect.poll(() => errors.map(String)).toEqual(['Error: broken', 'Error: broken later']);
  });

  test('the error explains that a parser has already read the body', async () => {
    const errors: unknown[] = [];
    const handler = turns(secret, () => 'Hi', { onError: (error) => errors.push(error) });
    listener = async (request, response) => {
      for await (const _chunk of request);
      await handler(request, response);
    };
    await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, { method: 'POST', body });
    expect(String(errors[0])).toContain('before express.json()');
  });
});
