import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AUTH, startHttpServer, type TestHttpServer } from '../../../test/http-server.ts';
import { head, rawExchange } from '../../../test/raw-http.ts';
import type { EventStream } from './event-stream.ts';
import type { Route } from './route.ts';

let http: TestHttpServer;
let opened: EventStream[];
/** A new object for each test: a stream of the test before may end late. */
let counter: { ended: number };
const sockets: Socket[] = [];

const stream: Route = {
  method: 'GET',
  path: '/api/stream/:group',
  access: { permission: 'triggers' },
  operation: { id: 'stream', summary: 'Listen', tag: 'Triggers' },
  responses: { 200: null },
  handle: (request, reply) => {
    const { group } = request.params as { group: string };
    const ofThisTest = counter;
    const onEnd = () => ofThisTest.ended++;
    opened.push(request.server.eventStreams.open(request, reply, { groups: { [group]: 200 }, onEnd }));
    return reply;
  },
};

const start = async (streams = {}): Promise<void> => {
  http = await startHttpServer([stream], { streams });
};

beforeEach(() => {
  opened = [];
  counter = { ended: 0 };
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await http.server.close();
});

/** Opens a stream by hand and resolves once its head has arrived; `text` is everything received so far. */
async function listen(group = 'a'): Promise<{ socket: Socket; text: () => string }> {
  const socket = connect(http.port, '127.0.0.1');
  sockets.push(socket);
  socket.on('error', () => {});
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString();
  });
  socket.write(head({ path: `/api/stream/${group}`, headers: ['Host: a', AUTH], bare: true }));
  await expect.poll(() => text).toContain('retry: ');
  return { socket, text: () => text };
}

const refusal = async (): Promise<{ status: number; code: string; retry: string | undefined }> => {
  const { answers } = await rawExchange(http.port, [
    head({ path: '/api/stream/a', headers: ['Host: a', AUTH], bare: true }),
  ]);
  const { status, headers, json } = answers[0]!;
  return { status, code: json().code, retry: headers['retry-after'] };
};

describe('a stream of events', () => {
  it('a stream is never cached or buffered on its way, and uses the wire format of browsers', async () => {
    await start();
    const { text } = await listen();
    expect(opened[0]!.send('changed', { note: 'two\nlines' }, '7')).toBe(true);
    await expect.poll(() => text()).toContain('id: 7\nevent: changed\ndata: {"note":"two\\nlines"}\n\n');
    expect(text()).toMatch(/^HTTP\/1\.1 200 /);
    expect(text()).toContain('content-type: text/event-stream; charset=utf-8');
    expect(text()).toContain('cache-control: no-store, no-transform');
    expect(text()).toContain('x-request-id: req_');
  });

  it('a stream sends heartbeats, so that proxies do not close it', async () => {
    await start({ heartbeatMs: 20 });
    const { text } = await listen();
    await expect.poll(() => text().match(/\n:\n/g)?.length).toBeGreaterThan(2);
  });

  it('closed streams no longer count, whichever side has closed them', async () => {
    await start();
    const hundred = () => Promise.all(Array.from({ length: 100 }, () => listen()));
    const listening = await hundred();
    const leaving = opened.splice(0);
    await hundred();
    expect(http.server.eventStreams.size).toBe(200);
    expect((await refusal()).status).toBe(429);
    for (const [index, { socket }] of listening.entries()) {
      socket.destroy();
      opened[index]!.end();
    }
    await expect.poll(() => http.server.eventStreams.size).toBe(0);
    expect(counter.ended).toBe(200);
    expect([...leaving, ...opened].every((one) => one.ended && !one.send('changed', {}))).toBe(true);
    await listen();
    expect(http.server.eventStreams.size).toBe(1);
  });

  it('a stream is refused above the limit of a group or of the server, with Retry-After', async () => {
    await start({ total: 3 });
    await Promise.all([listen('b'), listen('c'), listen('d')]);
    expect(await refusal()).toEqual({ status: 503, code: 'unavailable', retry: '1' });
  });

  it('a stream ends if its reader does not read, instead of buffering all data', async () => {
    await start({ bufferBytes: 64 * 1_024 });
    const { socket } = await listen();
    socket.pause();
    const big = 'x'.repeat(60_000);
    let sent = 0;
    while (opened[0]!.send('changed', big)) expect(++sent).toBeLessThan(1_000);
    await expect.poll(() => counter.ended).toBe(1);
  });

  it('a stream ends for a reader that disappeared, at the second heartbeat that cannot be sent', async () => {
    await start({ heartbeatMs: 30, bufferBytes: 1e9 });
    const { socket } = await listen();
    socket.pause();
    for (let sent = 0; sent < 300; sent++) opened[0]!.send('changed', 'x'.repeat(60_000));
    await expect.poll(() => counter.ended).toBe(1);
  });

  it('a stream ends immediately when the server stops, and a new stream is sent to another node', async () => {
    await start();
    const { socket, text } = await listen();
    const closed = once(socket, 'close');
    http.server.drain();
    await expect.poll(() => text()).toMatch(/\r\n0\r\n\r\n$/);
    expect(counter.ended).toBe(1);
    expect(await refusal()).toEqual({ status: 503, code: 'unavailable', retry: '1' });
    await http.server.close();
    await closed;
  });

  it('HEAD gets only the headers of a stream', async () => {
    await start();
    const { answers } = await rawExchange(http.port, [
      head({ method: 'HEAD', path: '/api/stream/a', headers: ['Host: a', AUTH], bare: true }),
    ]);
    expect(answers[0]?.status).toBe(200);
    await expect.poll(() => http.server.eventStreams.size).toBe(0);
  });
});
