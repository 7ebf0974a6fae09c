import type { FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../../../contract/problems.ts';
import { lostDatabase } from '../../access/sessions/lost-database.ts';
import { type ChatOrigin, chatOrigin, fitsOrigin } from '../../access/visitors/chat-origin.ts';
import type { VisitorCall, VisitorLimit } from '../../access/visitors/visitor-limit.ts';
import type { Visitor, VisitorTokens } from '../../access/visitors/visitor-token.ts';
import type { ChatChannel } from '../../features/visitors/find-chat-channel.ts';
import { metaOf } from '../edge/request-meta.ts';

/** What is known of a call before its body is read. */
export type FromSite = { channel: ChatChannel; asking: ChatOrigin; visitor: Visitor | null };
export type FromVisitor = FromSite & { visitor: Visitor };

export type VisitorGateDeps = {
  findChannel(id: string): Promise<ChatChannel>;
  tokens: VisitorTokens;
  limit: VisitorLimit;
  baseUrl: string;
};

const EXPOSED = 'x-request-id, retry-after';
/** As long as browsers remember at most. */
const PREFLIGHT_SECONDS = 7_200;

/**
 * Who may call the chat: pages of the sites on the channel's list (and our own), then holders of a token that was made
 * for this channel and this site. In this order: channel, site, switched off, token, limit; a page that is not on the
 * list is told nothing but that, and its browser not even that.
 */
export function createVisitorGate({ findChannel, tokens, limit, baseUrl }: VisitorGateDeps) {
  async function enter(request: FastifyRequest, reply: FastifyReply): Promise<FromSite> {
    const { channel_id: id } = request.params as { channel_id: string };
    const channel = await findChannel(id);
    metaOf(request.raw)!.orgId = channel.orgId;
    const { chat } = channel;
    const allowed = { origins: chat.allowed_origins ?? [], ownPage: chat.hosted_page !== false, baseUrl };
    // An answer to one site must not be kept for another.
    reply.header('vary', 'origin');
    const method = request.method === 'OPTIONS' ? 'POST' : request.method;
    const asking = chatOrigin(request, method, allowed);
    if (!asking) throw new Refusal('origin_not_allowed');
    if (request.headers.origin !== undefined) {
      reply
        .header('access-control-allow-origin', request.headers.origin)
        .header('access-control-expose-headers', EXPOSED)
        .header('cross-origin-resource-policy', 'cross-origin');
    }
    return { channel, asking, visitor: readToken(request, channel, asking) };
  }

  function readToken(request: FastifyRequest, channel: ChatChannel, asking: ChatOrigin): Visitor | null {
    const sent = metaOf(request.raw)!.authorization;
    const token = sent.length === 1 ? /^bearer +(\S+)$/i.exec(sent[0]!)?.[1] : undefined;
    const visitor = token === undefined ? null : tokens.read(token);
    const fits = visitor?.channelId === channel.id && fitsOrigin(asking, visitor.origin, request, baseUrl);
    return fits ? visitor : null;
  }

  const open = (call: VisitorCall) => async (request: FastifyRequest, reply: FastifyReply) => {
    try {
      const from = await enter(request, reply);
      if (!from.channel.enabled) throw new Refusal('channel_disabled');
      const visitor = from.visitor?.address ?? null;
      await limit.take(call, { address: request.ip, channelId: from.channel.id, visitor });
      return from;
    } catch (error) {
      throw lostDatabase('GET', error);
    }
  };

  return {
    /** Whoever comes from an allowed site. */
    site: open,
    /** Whoever holds a token as well. */
    visitor: (call: VisitorCall) => {
      const pass = open(call);
      return async (request: FastifyRequest, reply: FastifyReply): Promise<FromVisitor> => {
        const { visitor, ...from } = await pass(request, reply);
        if (visitor !== null) return { ...from, visitor };
        throw new Refusal('visitor_token_invalid', undefined, {
          headers: { 'WWW-Authenticate': 'Bearer realm="parley chat", error="invalid_token"' },
        });
      };
    },
    /** Browsers ask before every first call with a token from another site. */
    preflight: async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
      await enter(request, reply);
      reply
        .header('access-control-allow-methods', 'GET, POST')
        .header('access-control-allow-headers', 'authorization, content-type')
        .header('access-control-max-age', PREFLIGHT_SECONDS);
    },
  };
}
