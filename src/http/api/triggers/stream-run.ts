import type { FastifyReply, FastifyRequest } from 'fastify';
import { isId } from '../../../../contract/ids.ts';
import { type FollowRun, followRun } from '../../../features/triggers/follow-run.ts';
import type { Caller } from '../../../access/types.ts';
import { metaOf } from '../../edge/request-meta.ts';
import type { EventStream } from '../../route/event-stream.ts';
import { isKeyRoute, type Route } from '../../route/route.ts';
import type { TriggerRoutesDeps } from './deps.ts';

/**
 * Maximum number of streams at the same time. The limit is enough for a backend that relays its visitors, and leaves
 * room for other organizations.
 */
const STREAMS_PER_KEY = 256;
const STREAMS_PER_ORGANIZATION = 512;
/** The maximum number of open pages of one person. Browsers allow six connections to one server over HTTP/1.1. */
const STREAMS_PER_CLIENT = 8;
/** After this time the client reconnects with Last-Event-ID, to any node. */
const STREAM_MS = 15 * 60_000;

export type StreamDeps = Pick<TriggerRoutesDeps, 'db' | 'waiter' | 'access' | 'baseUrl'> & {
  liveDeltas: Pick<TriggerRoutesDeps['liveDeltas'], 'follow'>;
};

/** The access that the route needs, and the parameters of its path. */
type Asked = { need: Route['access']; params: Readonly<Record<string, string>> };

/** Opens the stream, or refuses before any data is sent. The promise resolves when the stream is open. */
export async function streamRun(
  deps: StreamDeps,
  need: Route['access'],
  request: FastifyRequest,
  reply: FastifyReply,
  run: Omit<FollowRun, 'after' | 'orgId' | 'clientMark'>,
): Promise<FastifyReply> {
  const { caller } = request.admission;
  const reader = { orgId: caller.orgId, clientMark: caller.client?.mark };
  const send = await followRun(deps, { ...run, ...reader, after: lastMessage(request) });
  const stream = openRunStream(deps, { need, params: request.params as Record<string, string> }, request, reply);
  // A stream that breaks is not continued. The client opens another stream and continues after the last message that it
  // received.
  if (!stream.ended)
    void send(stream)
      .catch(() => {})
      .finally(() => stream.end());
  return reply;
}

/** Opens a stream that counts against the limits, and that ends with the access of its key or after 15 minutes. */
export function openRunStream(
  deps: Pick<StreamDeps, 'access'>,
  asked: Asked,
  request: FastifyRequest,
  reply: FastifyReply,
): EventStream {
  const { caller } = request.admission;
  let timer: NodeJS.Timeout | undefined;
  const stream = request.server.eventStreams.open(request, reply, {
    groups: groupsOf(caller),
    isStillGranted: () => isStillGranted(deps, asked, request),
    onEnd: () => clearTimeout(timer),
  });
  if (!stream.ended) timer = setTimeout(() => stream.end(), STREAM_MS).unref();
  return stream;
}

/** Streams of pages have a separate limit, so they do not reduce the streams of backends. */
const groupsOf = ({ keyId, orgId, client }: Caller): Record<string, number> =>
  client === undefined
    ? { [`key ${keyId}`]: STREAMS_PER_KEY, [`streams of ${orgId}`]: STREAMS_PER_ORGANIZATION }
    : { [`client ${client.mark}`]: STREAMS_PER_CLIENT, [`clients of ${orgId}`]: STREAMS_PER_ORGANIZATION };

/**
 * True if the key is not revoked and the client token has not expired. Otherwise a stream ends, and a call that waited
 * returns no messages.
 */
export async function isStillGranted(
  { access }: Pick<StreamDeps, 'access'>,
  { need, params }: Asked,
  request: FastifyRequest,
): Promise<boolean> {
  const { authorization } = metaOf(request.raw)!;
  const { origin } = request.headers;
  return isKeyRoute(need) && Boolean(await access.admit(authorization, need, params, request.ip, false, origin));
}

function lastMessage(request: FastifyRequest): string | null {
  const given = request.headers['last-event-id'];
  return typeof given === 'string' && isId('msg', given) ? given : null;
}

export const STREAM_ANSWER = `\`run\`: the run, at the start (after stored messages) and whenever it changes. \`delta\`: the next words of the message that the agent writes. \`replace\`: all words so far, instead of those before; empty when they are taken back. \`message\`: a stored message, whole; it ends the words before it, and its \`id\` is for \`Last-Event-ID\`.`;
