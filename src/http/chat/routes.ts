import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import {
  ChatMessages,
  ChatSession,
  OpenChatSession,
  ChatRating,
  RateChat,
  ReadChat,
  SendChatFile,
  SendChatMessage,
  SentChatMessage,
} from '../../../contract/chat.ts';
import { idPattern } from '../../../contract/ids.ts';
import { MAX_ATTACHMENT_BYTES } from '../../../contract/limits.ts';
import { Refusal } from '../../../contract/problems.ts';
import { lostDatabase } from '../../access/sessions/lost-database.ts';
import type { ConversationsDeps } from '../../features/conversations/deps.ts';
import { receiveFileFromVisitor, receiveFromVisitor } from '../../features/conversations/receive-from-visitor.ts';
import type { VisitorsDeps } from '../../features/visitors/deps.ts';
import { noteRead } from '../../features/visitors/note-receipts.ts';
import { rateMessage } from '../../features/visitors/rate-message.ts';
import { openSession } from '../../features/visitors/open-session.ts';
import { presentVisitorMessage, readMessages } from '../../features/visitors/read-messages.ts';
import type { Route } from '../route/route.ts';
import { followMessages } from './follow-messages.ts';
import { hostedPage } from './hosted-page.ts';
import { createVisitorGate, type FromSite, type FromVisitor, type VisitorGateDeps } from './visitor-gate.ts';
import { type ChatPageDeps, widgetScript } from './widget-script.ts';

export type ChatRoutesDeps = VisitorGateDeps &
  VisitorsDeps &
  Pick<ConversationsDeps, 'inboundQueue' | 'onAccepted' | 'baseUrl'> &
  ChatPageDeps;

/** The limit is four bytes for each character of the longest message, plus the surrounding JSON. */
const MAX_CHAT_BYTES = 32 * 1024;

/**
 * The web chat API for the widget on a customer's page. The API of the web chat uses no keys and no cookies. The page's
 * origin and a visitor's token decide who may call (visitor-gate.ts). The documentation is in docs/web-chat.md.
 */
export function chatRoutes(deps: ChatRoutesDeps): Route[] {
  const gate = createVisitorGate(deps);
  const routes = [openChat, readChat, sendMessage, sendFile, rate, markRead, followChat];
  return [
    hostedPage(BASE, deps),
    widgetScript(`${BASE}/widget.js`, deps),
    ...routes.map((route) => route(deps, gate)),
    ...['sessions', 'messages', 'files', 'ratings', 'read', 'events'].map((name) => preflight(name, gate)),
  ];
}

const BASE = '/chat/:channel_id';

type VisitorGate = ReturnType<typeof createVisitorGate>;

const openChat = (deps: ChatRoutesDeps, gate: VisitorGate): Route => ({
  method: 'POST',
  path: `${BASE}/sessions`,
  access: { session: gate.site('open') },
  operation: operation('openChatSession', 'Open or continue a visitor session'),
  body: OpenChatSession,
  bodyOptional: true,
  bodyBytes: MAX_CHAT_BYTES,
  responses: { 200: ChatSession },
  handle: (request) => {
    const { channel, asking, visitor } = request.session as FromSite;
    const from = { origin: asking.origin, known: visitor };
    return known(request, openSession(deps, channel, request.body as OpenChatSession, from));
  },
});

const readChat = (deps: ChatRoutesDeps, gate: VisitorGate): Route => ({
  method: 'GET',
  path: `${BASE}/messages`,
  access: { session: gate.visitor('look') },
  operation: operation('readChat', 'List messages, newest page first'),
  query: Type.Object({ before: Type.Optional(Type.String({ pattern: idPattern('msg') })) }),
  responses: { 200: ChatMessages },
  handle: (request) => {
    const { before } = request.query as { before?: string };
    return known(request, readMessages(deps, placeOf(request.session as FromVisitor), before ?? null));
  },
});

const sendMessage = (deps: ChatRoutesDeps, gate: VisitorGate): Route => ({
  method: 'POST',
  path: `${BASE}/messages`,
  access: { session: gate.visitor('say') },
  operation: operation('sayInChat', 'Send a message, once for each client_id'),
  body: SendChatMessage,
  bodyBytes: MAX_CHAT_BYTES,
  responses: { 201: SentChatMessage },
  handle: async (request) => {
    const { channel, visitor } = request.session as FromVisitor;
    const received = receiveFromVisitor(deps, channel, visitor, request.body as SendChatMessage, request.requestId);
    const { message, answering } = await known(request, received);
    return { message: presentVisitorMessage(message), answering };
  },
});

const sendFile = (deps: ChatRoutesDeps, gate: VisitorGate): Route => ({
  method: 'POST',
  path: `${BASE}/files`,
  access: { session: gate.visitor('send_file') },
  operation: operation('sendFileInChat', 'Send a file as a message, once for each client_id'),
  query: SendChatFile,
  rawBody: MAX_ATTACHMENT_BYTES,
  responses: { 201: SentChatMessage },
  handle: async (request) => {
    const { channel, visitor } = request.session as FromVisitor;
    if (channel.chat.files === false) throw new Refusal('content_unsupported', 'This chat does not accept files.');
    const file = { ...(request.query as SendChatFile), bytes: request.body as Buffer };
    const sent = receiveFileFromVisitor(deps, channel, visitor, file, request.requestId);
    const { message, answering } = await known(request, sent);
    return { message: presentVisitorMessage(message), answering };
  },
});

const rate = (deps: ChatRoutesDeps, gate: VisitorGate): Route => ({
  method: 'POST',
  path: `${BASE}/ratings`,
  access: { session: gate.visitor('say') },
  operation: operation('rateInChat', 'Rate an answer or the conversation'),
  body: RateChat,
  bodyBytes: MAX_CHAT_BYTES,
  responses: { 200: ChatRating },
  handle: async (request) => {
    const from = request.session as FromVisitor;
    const rated = { ...(request.body as RateChat), thumbs: from.channel.chat.thumbs !== false };
    return known(request, rateMessage(deps, placeOf(from), rated));
  },
});

const markRead = (deps: ChatRoutesDeps, gate: VisitorGate): Route => ({
  method: 'POST',
  path: `${BASE}/read`,
  access: { session: gate.visitor('look') },
  operation: operation('markChatRead', 'Mark all messages up to a given message as seen'),
  body: ReadChat,
  bodyBytes: MAX_CHAT_BYTES,
  responses: { 204: null },
  handle: async (request) => {
    const { message_id: upTo } = request.body as ReadChat;
    await known(request, noteRead(deps, placeOf(request.session as FromVisitor), upTo));
  },
});

const followChat = (deps: ChatRoutesDeps, gate: VisitorGate): Route => ({
  method: 'GET',
  path: `${BASE}/events`,
  access: { session: gate.visitor('look') },
  operation: operation('followChat', 'Stream new messages (server-sent events)'),
  responses: { 200: Type.Unknown() },
  handle: (request, reply) =>
    followMessages(request, reply, deps, placeOf(request.session as FromVisitor), () => gate.isStillGranted(request)),
});

const preflight = (name: string, gate: VisitorGate): Route => ({
  method: 'OPTIONS',
  path: `${BASE}/${name}`,
  access: { session: gate.preflight },
  operation: operation(`preflight_${name}`, 'CORS preflight'),
  responses: { 204: null },
  handle: () => undefined,
});

const placeOf = ({ channel, visitor }: FromVisitor) => ({
  orgId: channel.orgId,
  channelId: channel.id,
  address: visitor.address,
});

const operation = (id: string, summary: string) => ({ id, summary, tag: 'Web chat', hidden: true });

const known = async <T>(request: FastifyRequest, work: Promise<T>): Promise<T> => {
  try {
    return await work;
  } catch (error) {
    throw lostDatabase(request.method, error);
  }
};
