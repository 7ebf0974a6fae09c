import type { FastifyReply, FastifyRequest } from 'fastify';
import { isId } from '../../../../contract/ids.ts';
import { type FollowRun, followRun } from '../../../features/triggers/follow-run.ts';
import { metaOf } from '../../edge/request-meta.ts';
import type { EventStream } from '../../route/event-stream.ts';
import { isKeyRoute, type Route } from '../../route/route.ts';
import type { TriggerRoutesDeps } from './routes.ts';

/** Maximum streams at the same time: enough for a backend that relays its visitors, and room for other organizations. */
const STREAMS_PER_KEY = 256;
const STREAMS_PER_ORGANIZATION = 512;
/** After this time the client reconnects with Last-Event-ID, to any node. */
const STREAM_MS = 15 * 60_000;
/** How long a stream may outlive the right of its key. */
const RECHECK_MS = 500;

type Deps = Pick<TriggerRoutesDeps, 'db' | 'waiter' | 'liveWords' | 'access'>;

/** Opens the stream, or refuses before anything is sent. Resolves when it is open. */
export async function streamRun(
  deps: Deps,
  need: Route['access'],
  request: FastifyRequest,
  reply: FastifyReply,
  run: Omit<FollowRun, 'after' | 'orgId'>,
): Promise<FastifyReply> {
  const { caller } = request.admission;
  const send = await followRun(deps, { ...run, orgId: caller.orgId, after: lastMessage(request) });
  const timers: NodeJS.Timeout[] = [];
  const stream = request.server.eventStreams.open(request, reply, {
    groups: {
      [`key ${caller.keyId}`]: STREAMS_PER_KEY,
      [`streams of ${caller.orgId}`]: STREAMS_PER_ORGANIZATION,
    },
    onEnd: () => timers.forEach(clearInterval),
  });
  if (stream.ended) return reply;
  timers.push(setTimeout(() => stream.end(), STREAM_MS).unref(), recheck(deps, need, request, stream));
  // A stream that breaks ends; the client reconnects and continues after the last message that it has.
  void send(stream)
    .catch(() => {})
    .finally(() => stream.end());
  return reply;
}

/** Decides again and again whether the call would still be granted: a revoked key ends its streams. */
function recheck(
  { access }: Deps,
  need: Route['access'],
  request: FastifyRequest,
  stream: EventStream,
): NodeJS.Timeout {
  const { authorization } = metaOf(request.raw)!;
  const params = request.params as Record<string, string>;
  const isGranted = async (): Promise<boolean> => {
    try {
      return isKeyRoute(need) && Boolean(await access.admit(authorization, need, params, request.ip));
    } catch {
      return false;
    }
  };
  return setInterval(() => {
    void isGranted().then((granted) => granted || stream.end());
  }, RECHECK_MS).unref();
}

function lastMessage(request: FastifyRequest): string | null {
  const given = request.headers['last-event-id'];
  return typeof given === 'string' && isId('msg', given) ? given : null;
}

export const STREAM_ANSWER = `\`run\`: the run, first and whenever it changes. \`delta\`: the next words of the message that the agent writes. \`replace\`: all words so far, instead of those before; empty when they are taken back. \`message\`: a stored message, whole; it ends the words before it, and its \`id\` is for \`Last-Event-ID\`.`;
