import { Type } from 'typebox';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PlaygroundTurn } from '../../../contract/dashboard/agents.ts';
import { Refusal } from '../../../contract/problems.ts';
import { startHttpServer, type TestHttpServer } from '../../../test/http-server.ts';
import { openStream } from '../../../test/read-stream.ts';
import type { TalkReader } from '../../features/agents/play-turn.ts';
import { streamTestChat } from './stream-test-chat.ts';

const TURN = { messages: [], next: 'waiting_for_user' } as unknown as PlaygroundTurn;
let http: TestHttpServer;
let isMember = true;
let play: (reader?: TalkReader) => Promise<PlaygroundTurn>;

beforeAll(async () => {
  http = await startHttpServer([
    {
      method: 'GET',
      path: '/api/play',
      access: 'public',
      operation: { id: 'play', summary: 'Play', tag: 'Dashboard' },
      responses: { 200: Type.Unknown() },
      handle: (_, reply) =>
        streamTestChat(reply, { userId: 'user_1', isStillGranted: async () => isMember }, (reader) => play(reader)),
    },
  ]);
});
afterAll(() => http.server.close());

const listen = () => openStream(`http://127.0.0.1:${http.port}/api/play`, { headers: { accept: 'text/event-stream' } });

test('the deltas of a turn come before its result, and removed deltas are replaced', async () => {
  play = async (reader) => {
    reader!.words.add('Let me');
    reader!.words.takeBack();
    reader!.words.add('Monday');
    return TURN;
  };
  const events = await (await listen()).rest();
  expect(events.map(({ event, data }) => [event, data.text])).toEqual([
    ['delta', 'Let me'],
    ['replace', ''],
    ['delta', 'Monday'],
    ['turn', undefined],
  ]);
});

test('a turn that fails in the middle ends with a problem, and a turn without text is not streamed', async () => {
  play = async (reader) => {
    reader!.words.add('Mon');
    throw new Refusal('provider_failed');
  };
  const events = await (await listen()).rest();
  expect(events.at(-1)).toMatchObject({ event: 'problem', data: { code: 'provider_failed' } });
  play = async () => TURN;
  expect((await listen()).type).toContain('application/json');
});

test('the turn stops when the person leaves', async () => {
  const stopped = Promise.withResolvers<void>();
  play = async (reader) => {
    reader!.signal.addEventListener('abort', () => stopped.resolve());
    reader!.words.add('Mon');
    await stopped.promise;
    return TURN;
  };
  const stream = await listen();
  await stream.next('delta');
  stream.close();
  await expect(stopped.promise).resolves.toBeUndefined();
});

test('the stream and the turn end when the person loses the access', async () => {
  const stopped = Promise.withResolvers<void>();
  play = async (reader) => {
    reader!.signal.addEventListener('abort', () => stopped.resolve());
    reader!.words.add('Mon');
    await stopped.promise;
    reader!.words.add('day');
    return TURN;
  };
  const stream = await listen();
  await stream.next('delta');
  isMember = false;
  expect(await stream.rest()).toEqual([]);
  await expect(stopped.promise).resolves.toBeUndefined();
  isMember = true;
});
