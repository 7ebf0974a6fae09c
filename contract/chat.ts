import { Type, type Static } from 'typebox';
import { idPattern } from './ids.ts';
import { MAX_NAME_CHARACTERS } from './limits.ts';
import { MessageContent, MessageSource } from './messages.ts';

/** What the widget on somebody's page and the server say to each other (docs/web-chat.md). */
const closed = { additionalProperties: false };
const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) => Type.Union([schema, Type.Null()]);

export const CHAT_LANGUAGES = ['en', 'ar', 'hi'] as const;
export type ChatLanguage = (typeof CHAT_LANGUAGES)[number];

/** Characters of one message that a visitor writes. */
export const MAX_VISITOR_CHARACTERS = 4_000;
/** Messages of one page of a conversation's history. */
export const CHAT_PAGE = 30;

/** What everybody who loads the widget may know of the channel; written into the script itself. */
export type ChatAppearance = {
  channel_id: string;
  enabled: boolean;
  title: string;
  greeting: string;
  color: string;
  position: 'end' | 'start';
  translations: Partial<Record<ChatLanguage, { title?: string; greeting?: string }>>;
};

/** Opens a session, or goes on with the one whose token is sent along. */
export const OpenChatSession = Type.Object(
  {
    /** The host's own id of a person who is signed in there, with the host's proof that it is this person. */
    external_id: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
    user_hash: Type.Optional(Type.String({ pattern: '^[0-9a-f]{64}$' })),
    name: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_NAME_CHARACTERS })),
    locale: Type.Optional(Type.String({ format: 'locale', maxLength: 35 })),
  },
  { ...closed, title: 'OpenChatSession' },
);
export type OpenChatSession = Static<typeof OpenChatSession>;

export const ChatSession = Type.Object(
  {
    token: Type.String(),
    expires_at: Type.String({ format: 'date-time' }),
    identified: Type.Boolean(),
  },
  { title: 'ChatSession' },
);
export type ChatSession = Static<typeof ChatSession>;

export const ChatMessage = Type.Object(
  {
    id: Type.String(),
    role: Type.Enum(['agent', 'end_user', 'member']),
    content: MessageContent,
    sources: Type.Array(MessageSource),
    /** What the widget that sent it called it; null for what others said. */
    client_id: nullable(Type.String()),
    created_at: Type.String({ format: 'date-time' }),
  },
  { title: 'ChatMessage' },
);
export type ChatMessage = Static<typeof ChatMessage>;

/** Oldest first. */
export const ChatMessages = Type.Object(
  { data: Type.Array(ChatMessage), has_more: Type.Boolean() },
  { title: 'ChatMessages' },
);
export type ChatMessages = Static<typeof ChatMessages>;

export const SendChatMessage = Type.Object(
  {
    /** Made by the widget: however often it is sent, it is said once. */
    client_id: Type.String({ pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' }),
    text: Type.String({ minLength: 1, maxLength: MAX_VISITOR_CHARACTERS, pattern: '\\S' }),
  },
  { ...closed, title: 'SendChatMessage' },
);
export type SendChatMessage = Static<typeof SendChatMessage>;

/** `answering`: the agent will say something; false while people have taken over. */
export const SentChatMessage = Type.Object(
  { message: ChatMessage, answering: Type.Boolean() },
  { title: 'SentChatMessage' },
);
export type SentChatMessage = Static<typeof SentChatMessage>;

/** The visitor has seen everything up to this message. */
export const ReadChat = Type.Object(
  { message_id: Type.String({ pattern: idPattern('msg') }) },
  { ...closed, title: 'ReadChat' },
);
export type ReadChat = Static<typeof ReadChat>;
