import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { Parley, turns, webhooks } from '../src/parley.ts';

/** Streams whose connection ends early: of a run, for its reader, and of own code, for its author. */
const SECRET = `whsec_${btoa('secret of the agent')}`;
const BODY = JSON.stringify({ run: { id: 'run_1' }, messages: [] });
let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

test('a stream that continues removes the text of a turn that started again', async () => {
  const run = (status: string) => `event: run\ndata: {"status":"${status}"}\n\n`;
  const bodies = [
    `${run('running')}event: delta\ndata: {"text":"On Mon"}\n\n`,
    `${run('running')}event: delta\ndata: {"text":"On"}\n\n${run('completed')}`,
  ];
  const headers = { 'content-type': 'text/event-stream' };
  const fetch = () => Promise.resolve(new Response(bodies.shift(), { headers }));
  const { runs } = new Parley({ baseUrl: 'https://parley.example', apiKey: 'key', fetch });
  let shown = '';
  for await (const event of runs.stream({ id: 'run_1', agent_id: 'agent_1', trigger_id: 'trigger_1' })) {
    if (event.event === 'delta') shown += event.data.text;
    if (event.event === 'replace') shown = event.data.text;
  }
  expect(shown).toBe('On');
});

describe('own code', () => {
  /** Starts a turn of own code that yields this text without end, and resolves when its function has ended. */
  async function serve(text: string): Promise<{ url: string; ended: Promise<void>; errors: unknown[] }> {
    const ended = Promise.withResolvers<void>();
    const errors: unknown[] = [];
    const answer = async function* () {
      try {
        for (;;) {
          yield text;
          await new Promise((resolve) => setTimeout(resolve, 1));
        }
      } finally {
        ended.resolve();
      }
    };
    const handler = turns(SECRET, answer, { onError: (error) => errors.push(error) });
    server = createServer((received, response) => void handler(received, response)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, ended: ended.promise, errors };
  }

  async function openTurn(url: string): Promise<IncomingMessage> {
    const calling = request(url, { method: 'POST', headers: await webhooks.sign(BODY, SECRET) });
    calling.end(BODY);
    const [response] = (await once(calling, 'response')) as [IncomingMessage];
    return response;
  }

  test('ends when Parley no longer reads its stream', async () => {
    const { url, ended, errors } = await serve('word ');
    const response = await openTurn(url);
    await once(response, 'data');
    response.destroy();
    await ended;
    expect(errors).toEqual([]);
  });

  test('ends when the connection closes while the stream waits for its reader', async () => {
    const { url, ended, errors } = await serve('x'.repeat(8_000_000));
    const response = await openTurn(url);
    response.pause();
    // The first piece fills the connection, so the stream waits.
    await once(response, 'readable');
    response.destroy();
    await ended;
    expect(errors).toEqual([]);
  });
});
