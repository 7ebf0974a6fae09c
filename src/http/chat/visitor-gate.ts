import type { FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../../../contract/problems.ts';
import { lostDatabase } from '../../access/sessions/lost-database.ts';
import { type ChatOrigin, chatOrigin, fitsOrigin } from '../../access/visitors/chat-origin.ts';
import type { VisitorCall, VisitorLimit } from '../../access/visitors/visitor-limit.ts';
import { secretMark, type Visitor, type VisitorTokens } from '../../access/visitors/visitor-token.ts';
import type { VisitorsDeps } from '../../features/visitors/deps.ts';
import {
  type ChatChannel,
  createChatChannelReader,
  findChatChannel,
} from '../../features/visitors/find-chat-channel.ts';
import { createChatSites } from '../../features/visitors/note-chat-site.ts';
import { metaOf } from '../edge/request-meta.ts';

/** The facts about a call that are known before its body is read. */
export type FromSite = { channel: ChatChannel; asking: ChatOrigin; visitor: Visitor | null };
export type FromVisitor = FromSite & { visitor: Visitor };

export type VisitorGateDeps = {
  db: VisitorsDeps['db'];
  openSecrets: VisitorsDeps['openSecrets'];
  visitorTokens: VisitorTokens;
  visitorLimit: VisitorLimit;
  baseUrl: string;
};

const EXPOSED = 'x-request-id, retry-after';
/** The longest time for which browsers cache a preflight. */
const PREFLIGHT_SECONDS = 7_200;

/**
 * Decides who may call the chat: first pages of the sites on the channel's list (and Parley's own pages), then visitors
 * with a token for this channel and site. The order of checks is channel, site, disabled, token, rate limit. A page
 * that is not on the list gets a response with only this fact, and its browser does not show the response to the page.
 */
export function createVisitorGate({ db, openSecrets, visitorTokens, visitorLimit, baseUrl }: VisitorGateDeps) {
  const readChatChannel = createChatChannelReader({ db });
  const noteSite = createChatSites({ db });

  async function enter(request: FastifyRequest, reply: FastifyReply): Promise<FromSite> {
    const { channel_id: id } = request.params as { channel_id: string };
    const channel = await findChatChannel({ db }, id);
    metaOf(request.raw)!.orgId = channel.orgId;
    // A cache must not serve the response for one site to another site.
    reply.header('vary', 'origin');
    const asking = askingPage(request, channel);
    if (!asking) {
      noteSite(channel, request.headers.origin, false);
      throw new Refusal('origin_not_allowed');
    }
    if (!asking.own) noteSite(channel, asking.origin, true);
    if (request.headers.origin !== undefined) {
      reply
        .header('access-control-allow-origin', request.headers.origin)
        .header('access-control-expose-headers', EXPOSED)
        .header('cross-origin-resource-policy', 'cross-origin');
    }
    return { channel, asking, visitor: await readToken(request, channel, asking) };
  }

  function askingPage(request: FastifyRequest, { chat }: ChatChannel): ChatOrigin | null {
    const allowed = { origins: chat.allowed_origins ?? [], ownPage: chat.hosted_page !== false, baseUrl };
    return chatOrigin(request, request.method === 'OPTIONS' ? 'POST' : request.method, allowed);
  }

  async function readToken(request: FastifyRequest, channel: ChatChannel, asking: ChatOrigin): Promise<Visitor | null> {
    const sent = metaOf(request.raw)!.authorization;
    const token = sent.length === 1 ? /^bearer +(\S+)$/i.exec(sent[0]!)?.[1] : undefined;
    const visitor = token === undefined ? null : visitorTokens.read(token);
    const fits = visitor?.channelId === channel.id && fitsOrigin(asking, visitor.origin, request, baseUrl);
    return fits && (await isProven(visitor, channel)) ? visitor : null;
  }

  /** A new secret of the channel invalidates the tokens of people whom the host identified with an older secret. */
  async function isProven({ externalId, provenBy }: Visitor, channel: ChatChannel): Promise<boolean> {
    if (externalId === null) return true;
    const { secret } = await openSecrets(channel);
    return secret !== undefined && provenBy === secretMark(secret);
  }

  const open = (call: VisitorCall) => async (request: FastifyRequest, reply: FastifyReply, isAgain: boolean) => {
    try {
      const from = await enter(request, reply);
      if (!from.channel.enabled) throw new Refusal('channel_disabled');
      const visitor = from.visitor?.address ?? null;
      if (!isAgain) await visitorLimit.take(call, { address: request.ip, channelId: from.channel.id, visitor });
      return from;
    } catch (error) {
      throw lostDatabase('GET', error);
    }
  };

  return {
    /** True if the open stream of this request would be permitted now. */
    isStillGranted: async (request: FastifyRequest): Promise<boolean> => {
      const channel = await readChatChannel((request.params as { channel_id: string }).channel_id);
      if (!channel?.enabled) return false;
      const asking = askingPage(request, channel);
      return asking !== null && (await readToken(request, channel, asking)) !== null;
    },
    /** Accepts any page of an allowed site. */
    site: open,
    /** Accepts a page of an allowed site with a valid token. */
    visitor: (call: VisitorCall) => {
      const pass = open(call);
      return async (request: FastifyRequest, reply: FastifyReply, isAgain: boolean): Promise<FromVisitor> => {
        const { visitor, ...from } = await pass(request, reply, isAgain);
        if (visitor !== null) return { ...from, visitor };
        throw new Refusal('visitor_token_invalid', undefined, {
          headers: { 'WWW-Authenticate': 'Bearer realm="parley chat", error="invalid_token"' },
        });
      };
    },
    /** Browsers send a preflight before the first call with a token from another site. */
    preflight: async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
      await enter(request, reply);
      reply
        .header('access-control-allow-methods', 'GET, POST')
        .header('access-control-allow-headers', 'authorization, content-type')
        .header('access-control-max-age', PREFLIGHT_SECONDS);
    },
  };
}
