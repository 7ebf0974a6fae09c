import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { isId } from '../../../contract/ids.ts';
import { Refusal } from '../../../contract/problems.ts';
import type { ConversationsDeps } from '../../features/conversations/deps.ts';
import { lostDatabase } from '../../access/sessions/lost-database.ts';
import { findReceiver, receiveFromChannel } from '../../features/conversations/receive-from-channel.ts';
import type { Route } from '../route/route.ts';

export type InboundRoutesDeps = ConversationsDeps & { baseUrl: string };

/** The limit is large, because providers put several messages into one call, and an e-mail may be large. */
const MAX_INBOUND_BYTES = 1024 * 1024;
/** Most calls are smaller. For a larger body, the channel is found before the body is read. */
const SMALL_BYTES = 64 * 1024;

/** Endpoints for providers. The signature of the channel over the raw bytes authenticates the caller, not a key. */
export const inboundRoutes = (deps: InboundRoutesDeps): Route[] => [
  hook('POST', 'receiveFromChannel', deps), // POST /inbound/:kind/:channel_id
  hook('GET', 'answerChallenge', deps), // GET: some providers verify us with a challenge first
];

const hook = (method: 'GET' | 'POST', id: string, deps: InboundRoutesDeps): Route => ({
  method,
  path: '/inbound/:kind/:channel_id',
  access: { session: (request) => refuseStrangers(request, deps) },
  operation: { id, summary: 'Webhook calls of a channel', tag: 'Channels', hidden: true },
  rawBody: MAX_INBOUND_BYTES,
  responses: { 200: Type.Object({}) },
  async handle(request, reply) {
    const answer = await receiveFromChannel(
      deps,
      targetOf(request),
      inboundRequest(request, method, deps.baseUrl),
      request.requestId,
    );
    return send(reply, answer ?? { type: 'application/json; charset=utf-8', body: '{}' });
  },
});

function targetOf({ params }: FastifyRequest): { kind: string; channelId: string } {
  const { kind, channel_id: channelId } = params as { kind: string; channel_id: string };
  if (!isId('channel', channelId)) throw new Refusal('channel_not_found');
  return { kind, channelId };
}

/**
 * A stranger without the ID of a channel must not fill the memory with large bodies that arrive slowly. The signature
 * decides after the body.
 */
async function refuseStrangers(request: FastifyRequest, deps: InboundRoutesDeps): Promise<void> {
  const target = targetOf(request);
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers;
  if (encoding === undefined && Number(length) <= SMALL_BYTES) return;
  try {
    await findReceiver(deps, target);
  } catch (error) {
    throw lostDatabase('GET', error);
  }
}

const send = (reply: FastifyReply, { type, body }: { type: string; body: string }) =>
  reply.code(200).type(type).send(body);

function inboundRequest(request: FastifyRequest, method: 'GET' | 'POST', baseUrl: string) {
  const target = request.raw.url!;
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
  );
  const query = new URLSearchParams(target.includes('?') ? target.slice(target.indexOf('?') + 1) : '');
  return { method, url: baseUrl + target, query, headers, body: request.body as Buffer };
}
