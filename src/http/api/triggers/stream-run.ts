import type { FastifyReply, FastifyRequest } from 'fastify';
import { isId } from '../../../../contract/ids.ts';
import { type FollowRun, followRun } from '../../../features/triggers/follow-run.ts';
import { metaOf } from '../../edge/request-meta.ts';
import { isKeyRoute, type Route } from '../../route/route.ts';
import type { TriggerRoutesDeps } from './routes.ts';

/**
 * Maximum number of streams at the same time. It is enough for a backend that relays its visitors, and leaves room for
 * other organizations.
 */
const STREAMS_PER_KEY = 256;
const STREAMS_PER_ORGANIZATION = 512;
/** After this time the client reconnects with Last-Event-ID, to any node. */
const STREAM_MS = 15 * 60_000;

export type StreamDeps = Pick<TriggerRoutesDeps, 'db' | 'waiter' | 'access' | 'baseUrl'> & {
  liveDeltas: Pick<TriggerRoutesDeps['liveDeltas'], 'follow'>;
};

/** Opens the stream, or refuses before any data is sent. Resolves when it is open. */
export async function streamRun(
  deps: StreamDeps,
  need: Route['access'],
  request: FastifyRequest,
  reply: FastifyReply,
  run: Omit<FollowRun, 'after' | 'orgId'>,
): Promise<FastifyReply> {
  const { caller } = request.admission;
  const send = await followRun(deps, { ...run, orgId: caller.orgId, after: lastMessage(request) });
  let timer: NodeJS.Timeout | undefined;
  const stream = request.server.eventStreams.open(request, reply, {
    groups: {
      [`key ${caller.keyId}`]: STREAMS_PER_KEY,
      [`streams of ${caller.orgId}`]: STREAMS_PER_ORGANIZATION,
    },
    isStillGranted: () => isStillGranted(deps, need, request),
    onEnd: () => clearTimeout(timer),
  });
  if (stream.ended) return reply;
  timer = setTimeout(() => stream.end(), STREAM_MS).unref();
  // A stream that breaks ends. The client reconnects and continues after the last message that it received.
  void send(stream)
    .catch(() => {})
    .finally(() => stream.end());
  return reply;
}

/** Streams of a revoked key end. */
async function isStillGranted(
  { access }: StreamDeps,
  need: Route['access'],
  request: FastifyRequest,
): Promise<boolean> {
  const { authorization } = metaOf(request.raw)!;
  const params = request.params as Record<string, string>;
  return isKeyRoute(need) && Boolean(await access.admit(authorization, need, params, request.ip));
}

function lastMessage(request: FastifyRequest): string | null {
  const given = request.headers['last-event-id'];
  return typeof given === 'string' && isId('msg', given) ? given : null;
}

export const STREAM_ANSWER = `\`run\`: the run, first and whenever it changes. \`delta\`: the next words of the message that the agent writes. \`replace\`: all words so far, instead of those before; empty when they are taken back. \`message\`: a stored message, whole; it ends the words before it, and its \`id\` is for \`Last-Event-ID\`.`;
