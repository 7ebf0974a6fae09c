import type { FastifyReply, FastifyRequest } from 'fastify';
import { countedPlace } from '../../access/api-keys/networks.ts';
import type { VisitorsDeps } from '../../features/visitors/deps.ts';
import { followMessages as follow } from '../../features/visitors/follow-messages.ts';

/** Maximum number of open pages of one visitor. Browsers allow six connections to one server over HTTP/1.1. */
const STREAMS_PER_VISITOR = 8;
/**
 * Maximum number of open pages of one network address. Anyone may become many visitors, so without this limit, one
 * person could use all streams of the server. If an office behind one address has more open pages, the other pages
 * poll.
 */
const STREAMS_PER_PLACE = 256;
/** Maximum number of open pages of one organization's visitors, so that a busy site leaves room for other sites. */
const STREAMS_PER_ORGANIZATION = 1_024;
/** Maximum number of open pages of all visitors. The rest of the streams of a process is for members and keys. */
const STREAMS_OF_VISITORS = 1_536;
/**
 * After this time the widget reconnects with its token, so a stream does not stay open long after its token has
 * expired.
 */
const STREAM_MS = 15 * 60_000;

/**
 * The event `ready` means that no later message is missed, so the client reads the current state. The event `messages`
 * means that new messages exist. The events `delta` and `replace` contain the text of the message that the agent is
 * writing. The heartbeat is an event that the client's code can see. A widget notices a dead connection, or a proxy
 * that delays all data, and polls instead.
 */
export function followMessages(
  request: FastifyRequest,
  reply: FastifyReply,
  deps: Pick<VisitorsDeps, 'db' | 'feed' | 'liveDeltas'>,
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
      [`visitors of ${place.orgId}`]: STREAMS_PER_ORGANIZATION,
      visitors: STREAMS_OF_VISITORS,
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
