import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type ChatState, connect } from '../src/browser.ts';

/** The client of a page, without a browser. `answers` decides the response to each call. */
type Call = {
  method: string;
  path: string;
  body: Record<string, unknown> | null;
  key: string | undefined;
  signal: AbortSignal;
};
let calls: Call[];
let answers: (call: Call) => Response | Promise<Response>;

const RUN = { id: 'run_1', conversation_id: 'conv_1' };
const json = (status: number, body: unknown): Response => Response.json(body, { status });
const messageOf = (text: string, id: string, role = 'end_user') => ({ id, role, content: { type: 'text', text } });
const textsOf = ({ messages }: ChatState): unknown[] =>
  messages.map(({ content }) => (content as { text: string }).text);

/** `ends`: the connection breaks after the events. Otherwise the stream stays open. */
function events(lines: [event: string, data: unknown][], ends = false): Response {
  const text = lines.map(([event, data]) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`).join('');
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(text));
      if (ends) controller.close();
    },
  });
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}

beforeEach(() => {
  calls = [];
  answers = ({ method }) => (method === 'POST' ? json(202, RUN) : events([]));
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const open = (conversation?: string) =>
  connect({
    baseUrl: 'https://parley.example',
    agent: 'agent_1',
    trigger: 'trigger_1',
    conversation,
    getToken: () => Promise.resolve('token'),
    fetch: (url, { method = 'GET', body, headers, signal } = {}) => {
      const call = {
        method,
        path: (url as string).split('/trigger_1')[1]!,
        body: typeof body === 'string' ? (JSON.parse(body) as Call['body']) : null,
        key: (headers as Record<string, string>)['idempotency-key'],
        signal: signal!,
      };
      calls.push(call);
      const aborted = new Promise<never>((_, reject) => {
        call.signal.addEventListener('abort', () => reject(call.signal.reason as Error));
      });
      return Promise.race([answers(call), aborted]);
    },
  });
const posts = (): Call[] => calls.filter(({ method }) => method === 'POST');
/** Longer than all pauses between the attempts of a call, and shorter than the limit of a silent stream. */
const settle = () => vi.advanceTimersByTimeAsync(20_000);

test('messages that are sent in quick succession belong to one conversation, in their order', async () => {
  const chat = open();
  const sent = Promise.all([chat.send('first'), chat.send('second')]);
  expect(textsOf(chat.state)).toEqual(['first', 'second']);
  await sent;
  expect(posts().map(({ body }) => [body!['message'], body!['conversation']])).toEqual([
    ['first', undefined],
    ['second', { id: 'conv_1' }],
  ]);
  chat.close();
});

test('a failed message does not stop the next one', async () => {
  answers = ({ method, body }) =>
    method === 'POST' ? (body!['message'] === 'first' ? json(422, { code: 'x' }) : json(202, RUN)) : events([]);
  const chat = open();
  const [first, second] = await Promise.allSettled([chat.send('first'), chat.send('second')]);
  expect([first.status, second.status]).toEqual(['rejected', 'fulfilled']);
  expect(textsOf(chat.state)).toEqual(['second']);
  expect(chat.state.status).toBe('waiting');
  chat.close();
});

test('a call is repeated with its key while its first attempt is in progress, and if its response breaks off', async () => {
  const broken = new ReadableStream({ start: (controller) => controller.error(new Error('cut')) });
  const results = [
    () => Promise.reject(new TypeError('lost')),
    () => json(409, { code: 'idempotency_in_progress' }),
    () => new Response(broken, { status: 202 }),
    () => json(202, RUN),
  ];
  answers = ({ method }) => (method === 'POST' ? results.shift()!() : events([]));
  const chat = open();
  const sent = chat.send('Hello');
  await settle();
  await sent;
  expect(new Set(posts().map(({ key }) => key)).size).toBe(1);
  expect(posts()).toHaveLength(4);
  expect(textsOf(chat.state)).toEqual(['Hello']);
  chat.close();
});

test('a message that the person sends again after a call without a response is stored once', async () => {
  answers = () => Promise.reject(new TypeError('lost'));
  const chat = open();
  const first = chat.send('Hello').catch((error: unknown) => error);
  await settle();
  expect(await first).toMatchObject({ code: 'connection_failed' });
  answers = ({ method }) => (method === 'POST' ? json(202, RUN) : events([]));
  await chat.send('Hello');
  expect(new Set(posts().map(({ key }) => key)).size).toBe(1);
  await chat.send('Hello');
  expect(new Set(posts().map(({ key }) => key)).size).toBe(2);
  chat.close();
});

test('a chat that the page closes while a message is sent opens no stream until it is opened again', async () => {
  const accepted = Promise.withResolvers<Response>();
  answers = ({ method }) => (method === 'POST' ? accepted.promise : events([]));
  const chat = open();
  const sent = chat.send('Hello');
  chat.close();
  accepted.resolve(json(202, RUN));
  await sent;
  await settle();
  expect(calls.map(({ path }) => path)).toEqual(['']);
  chat.open();
  await settle();
  expect(calls.map(({ path }) => path)).toContain('/runs/run_1/events');
  chat.close();
});

test('a message that is sent while the conversation is read stays', async () => {
  const stored = [messageOf('earlier', 'msg_1')];
  const read = Promise.withResolvers<void>();
  answers = async ({ method, path }) => {
    if (method === 'POST') {
      stored.unshift(messageOf('sent during the read', 'msg_2'));
      return json(202, RUN);
    }
    if (path.includes('/events')) return events([]);
    const page = { data: [...stored] };
    await read.promise;
    return json(200, page);
  };
  const chat = open('conv_1');
  await settle();
  await chat.send('sent during the read');
  read.resolve();
  await settle();
  expect(textsOf(chat.state)).toEqual(['earlier', 'sent during the read']);
  expect(chat.state.messages.map(({ id }) => id)).toEqual(['msg_1', 'msg_2']);
  chat.close();
});

test('the text of a turn that started again replaces the text before the broken connection', async () => {
  const streams = [
    () => events([['delta', { text: 'On Mon' }]], true),
    () => events([['run', { status: 'running' }], ['delta', { text: 'On' }]]), // prettier-ignore
  ];
  answers = ({ method }) => (method === 'POST' ? json(202, RUN) : streams.shift()!());
  const chat = open();
  await chat.send('When?');
  await settle();
  expect(streams).toEqual([]);
  expect(chat.state.writing).toBe('On');
  chat.close();
});

test('a stream that does not open is opened again, and an open stream may be silent for longer', async () => {
  const streams = [() => new Promise<Response>(() => {}), () => events([['delta', { text: 'On' }]])];
  answers = ({ method }) => (method === 'POST' ? json(202, RUN) : streams.shift()!());
  const chat = open();
  await chat.send('When?');
  await settle();
  await settle();
  await settle();
  expect(streams).toEqual([]);
  expect(chat.state.writing).toBe('On');
  expect(calls.slice(1).map((call) => call.signal.aborted)).toEqual([true, false]);
  chat.close();
  expect(calls[2]!.signal.aborted).toBe(true);
});

test('a conversation that the token may not use does not block the page', async () => {
  answers = ({ method, path, body }) => {
    const isKnown = method === 'POST' ? body!['conversation'] === undefined : !path.includes('conv_old');
    if (!isKnown) return json(404, { code: 'conversation_not_found' });
    return method === 'POST' ? json(202, RUN) : events([]);
  };
  const reader = open('conv_old');
  await settle();
  expect(reader.state).toMatchObject({ conversationId: null, error: null });
  const writer = open('conv_old');
  await writer.send('Hello');
  expect(writer.state).toMatchObject({ conversationId: 'conv_1', error: null });
  expect(textsOf(writer.state)).toEqual(['Hello']);
  for (const chat of [reader, writer]) chat.close();
});

test('an answer that is on its way when the person writes again is shown', async () => {
  const late = Promise.withResolvers<ReadableStreamDefaultController>();
  const first = new ReadableStream({ start: (controller) => late.resolve(controller) });
  const runs = ['run_1', 'run_2'];
  answers = ({ method, path }) => {
    if (method === 'POST') return json(202, { ...RUN, id: runs.shift() });
    return path.includes('run_1') ? new Response(first) : events([['delta', { text: 'Second' }]]);
  };
  const chat = open();
  await chat.send('first question');
  await chat.send('second question');
  await settle();
  const line = (event: string, data: unknown) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
  const text =
    line('message', messageOf('first answer', 'msg_1', 'agent')) +
    line('replace', { text: '' }) +
    line('run', { status: 'completed' });
  (await late.promise).enqueue(new TextEncoder().encode(text));
  await settle();
  expect(textsOf(chat.state)).toEqual(['first question', 'second question', 'first answer']);
  expect(chat.state).toMatchObject({ writing: 'Second', status: 'waiting' });
  chat.close();
});
