import { EventEmitter } from 'node:events';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { expect, test } from 'vitest';
import { Refusal } from '../../../contract/problems.ts';
import type { VisitorsDeps } from '../../features/visitors/deps.ts';
import { createEventStreams } from '../route/event-stream.ts';
import { followMessages } from './follow-messages.ts';

const deps = {
  feed: { follow: () => () => {} },
  liveDeltas: { follow: () => () => {} },
} as unknown as Pick<VisitorsDeps, 'db' | 'feed' | 'liveDeltas'>;

const sockets: EventEmitter[] = [];

/** Opens streams until one is refused. Every stream is of another visitor and address. */
function openAll(eventStreams: ReturnType<typeof createEventStreams>, orgId: string): number {
  for (let n = 0; ; n++) {
    const raw = Object.assign(new EventEmitter(), { writeHead: () => {}, write: () => true, end: () => {} });
    sockets.push(raw);
    const reply = { raw, getHeaders: () => ({}), hijack: () => {} } as unknown as FastifyReply;
    const ip = `10.${orgId.length}.${n >> 8}.${n & 255}`;
    const request = { server: { eventStreams }, ip, method: 'GET' } as unknown as FastifyRequest;
    const place = { orgId, channelId: 'channel', address: `${orgId} ${n}` };
    try {
      followMessages(request, reply, deps, place, async () => true);
    } catch (error) {
      if (error instanceof Refusal && error.code === 'rate_limited') return n;
      throw error;
    }
  }
}

test('the visitors of a busy site leave streams to other sites, and all visitors leave streams to members and keys', () => {
  const eventStreams = createEventStreams();
  expect(openAll(eventStreams, 'busy')).toBe(1_024);
  expect(openAll(eventStreams, 'other')).toBe(512);
  expect(openAll(eventStreams, 'thirds')).toBe(0);
  for (const raw of sockets) raw.emit('close');
  expect(eventStreams.size).toBe(0);
});
