import type { FastifyReply, FastifyRequest } from 'fastify';
import { countedPlace } from '../../access/api-keys/networks.ts';
import type { VisitorsDeps } from '../../features/visitors/deps.ts';
import { followMessages as follow } from '../../features/visitors/follow-messages.ts';

/** Maximum open pages of one visitor; browsers allow six connections to one server over HTTP/1.1. */
const STREAMS_PER_VISITOR = 8;
/**
 * Maximum open pages of one network address. Anyone may become many visitors; without this, one of them could take all
 * streams of the server. If an office behind one address has more pages, the others poll.
 */
const STREAMS_PER_PLACE = 256;
/**
 * After this time the widget reconnects with its token, so a stream does not stay open long after its token has
 * expired.
 */
const STREAM_MS = 15 * 60_000;

/**
 * `ready`: from here on no message is missed, so the client reads the state now. `messages`: there are new messages.
 * `delta` and `replace`: the words of the message that the agent writes.
 * The heartbeat is a visible event: a widget notices a dead connection, or a proxy that holds everything back, and
 * polls instead.
 */
export function followMessages(
  request: FastifyRequest,
  reply: FastifyReply,
  deps: Pick<VisitorsDeps, 'db' | 'feed' | 'liveWords'>,
  place: { orgId: string; channelId: string; address: string },
  isStillGranted: () => Promise<boolean>,
): FastifyReply {
  let timer: NodeJS.Timeout | undefined;
  let unfollow: (() => void) | undefined;
  let isReady = false;
  const stream = request.server.eventStreams.open(request, reply, {
    groups: {
      [`visitor ${place.channelId} ${place.address}`]: STREAMS_PER_VISITOR,
      [`visitors of ${countedPlace(request.ip)}`]: STREAMS_PER_PLACE,
    },
    audible: true,
    isStillGranted,
    onEnd: () => {
      clearTimeout(timer);
      unfollow?.();
    },
  });
  timer = setTimeout(() => stream.end(), STREAM_MS).unref();
  unfollow = follow(deps, place, {
    onMessages: (messages) => {
      if (!isReady) {
        isReady = true;
        stream.send('ready', {});
      }
      return messages.length > 0 && stream.send('messages', { data: messages });
    },
    onWords: (event, text) => stream.send(event, { text }),
  });
  if (stream.ended) {
    clearTimeout(timer);
    unfollow();
  }
  return reply;
}
