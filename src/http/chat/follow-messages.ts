import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Visitors } from '../../features/visitors/visitors.ts';

/** Pages of one visitor that are open at a time; browsers allow six connections to one server over HTTP/1.1. */
const STREAMS_PER_VISITOR = 8;
/** Then the widget comes back with its token: a stream never outlives what it was allowed by for long. */
const STREAM_MS = 15 * 60_000;

/**
 * `ready`: from here on nothing is missed, now read what there is. `messages`: more of it. The heartbeat can be heard, so
 * that a widget notices a connection that died, or a proxy that holds everything back, and polls instead.
 */
export function followMessages(
  request: FastifyRequest,
  reply: FastifyReply,
  visitors: Pick<Visitors, 'follow'>,
  place: { orgId: string; channelId: string; address: string },
): FastifyReply {
  let timer: NodeJS.Timeout | undefined;
  let unfollow: (() => void) | undefined;
  let isReady = false;
  const stream = request.server.eventStreams.open(request, reply, {
    group: `visitor ${place.channelId} ${place.address}`,
    perGroup: STREAMS_PER_VISITOR,
    audible: true,
    onEnd: () => {
      clearTimeout(timer);
      unfollow?.();
    },
  });
  timer = setTimeout(() => stream.end(), STREAM_MS).unref();
  unfollow = visitors.follow(place, (messages) => {
    if (!isReady) {
      isReady = true;
      stream.send('ready', {});
    }
    return messages.length > 0 && stream.send('messages', { data: messages });
  });
  if (stream.ended) {
    clearTimeout(timer);
    unfollow();
  }
  return reply;
}
