import { Type, type Static } from 'typebox';
import { idPattern } from './ids.ts';
import { MAX_ATTACHMENT_NAME, MAX_NAME_CHARACTERS } from './limits.ts';
import { MessageContent, MessageSource } from './messages.ts';
import { MAX_RATING_COMMENT, RATING_COMMENT, RATING_KINDS } from './ratings.ts';

/** The messages between the widget on a page and the server (docs/web-chat.md). */
const closed = { additionalProperties: false };
const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) => Type.Union([schema, Type.Null()]);

/** The languages of the widget. */
export type ChatLanguage = 'en' | 'ar' | 'hi';

/** A visitor message has at most this many characters. */
export const MAX_VISITOR_CHARACTERS = 4_000;
/** One page of the history has this many messages. */
export const CHAT_PAGE = 30;

/** The widget's ID of a message, which is a UUID. */
const CLIENT_ID = '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$';
const ORIGIN = '^https?://[a-z0-9.-]+(:[0-9]{1,5})?$|^https?://\\[[0-9a-f:]+\\](:[0-9]{1,5})?$';
const title = Type.Optional(
  Type.String({ minLength: 1, maxLength: 60, description: 'The text above the conversation.' }),
);
const greeting = Type.Optional(
  Type.String({ minLength: 1, maxLength: 500, description: 'The text before the visitor writes.' }),
);
const suggestions = Type.Optional(
  Type.Array(Type.String({ minLength: 1, maxLength: 80 }), {
    maxItems: 4,
    uniqueItems: true,
    description: 'Questions as buttons, shown before the visitor writes. At most 4 with 80 characters each.',
  }),
);
const translation = Type.Optional(Type.Object({ title, greeting, suggestions }, closed));

/** The settings of a web chat channel. */
export const WebChatSettings = Type.Object(
  {
    allowed_origins: Type.Optional(
      Type.Array(
        Type.String({
          pattern: ORIGIN,
          maxLength: 255,
          description: 'Start with https://, for example https://shop.example. No path and no wildcard.',
        }),
        {
          maxItems: 50,
          uniqueItems: true,
          description: 'Sites that may show the chat, such as https://shop.example (no path, no wildcard).',
        },
      ),
    ),
    title,
    greeting,
    suggestions,
    translations: Type.Optional(
      Type.Object(
        { en: translation, ar: translation, hi: translation },
        { ...closed, description: 'Title, greeting and first questions in other languages.' },
      ),
    ),
    color: Type.Optional(Type.String({ pattern: '^#[0-9a-fA-F]{6}$', description: 'A color such as #0b7a75.' })),
    avatar: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 8,
        pattern: '^\\S+$',
        description: 'Initials or one emoji beside the title, such as LS.',
      }),
    ),
    position: Type.Optional(
      Type.Union([Type.Literal('end'), Type.Literal('start')], {
        description: 'The lower corner. In left-to-right languages, end is the right corner.',
      }),
    ),
    files: Type.Optional(Type.Boolean({ description: 'Whether visitors can send pictures and files; default true.' })),
    thumbs: Type.Optional(Type.Boolean({ description: 'Whether visitors can rate answers; default true.' })),
    hosted_page: Type.Optional(
      Type.Boolean({ description: 'Whether the chat has its own page at /chat/{channel_id}; default true.' }),
    ),
  },
  closed,
);
export type WebChatSettings = Static<typeof WebChatSettings>;

/** The data is public, because it is part of the widget's script. */
export type ChatAppearance = {
  channel_id: string;
  enabled: boolean;
  title: string;
  greeting: string;
  suggestions: string[];
  color: string;
  /** The avatar is initials or an emoji. Empty: the chat has no avatar. */
  avatar: string;
  position: 'end' | 'start';
  /** True: visitors can send files. */
  files: boolean;
  /** True: visitors can rate answers. */
  thumbs: boolean;
  translations: NonNullable<WebChatSettings['translations']>;
};

/** Opens a session, or continues the session whose token the request contains. */
export const OpenChatSession = Type.Object(
  {
    /** The website's own ID of a signed-in person. The field `user_hash` proves that the website created the ID. */
    external_id: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
    user_hash: Type.Optional(
      Type.String({ pattern: '^[0-9a-f]{64}$', description: '64 hexadecimal digits in lower case.' }),
    ),
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

/** The ratings of the visitor. The score of an answer is 1 (good) or -1 (bad), and the score of a survey is 1 to 5. */
export const ChatRating = Type.Object(
  {
    kind: Type.Enum(RATING_KINDS),
    score: nullable(Type.Integer()),
    comment: nullable(Type.String()),
  },
  { title: 'ChatRating' },
);
export type ChatRating = Static<typeof ChatRating>;

export const ChatMessage = Type.Object(
  {
    id: Type.String(),
    role: Type.Enum(['agent', 'end_user', 'member']),
    content: MessageContent,
    sources: Type.Array(MessageSource),
    /** The ID that the sending widget created. Null for messages of the agent and of members. */
    client_id: nullable(Type.String()),
    /** The name of the member who wrote the message. Null if no member wrote the message. */
    author: nullable(Type.String()),
    /** Null: the visitor cannot rate the message. */
    rating: nullable(ChatRating),
    created_at: Type.String({ format: 'date-time' }),
  },
  { title: 'ChatMessage' },
);
export type ChatMessage = Static<typeof ChatMessage>;

/** The messages of the conversation, oldest first. */
export const ChatMessages = Type.Object(
  { data: Type.Array(ChatMessage), has_more: Type.Boolean() },
  { title: 'ChatMessages' },
);
export type ChatMessages = Static<typeof ChatMessages>;

export const SendChatMessage = Type.Object(
  {
    /** The widget creates the ID of the message. A repeated request with the same ID stores the message only once. */
    client_id: Type.String({ pattern: CLIENT_ID }),
    text: Type.String({ minLength: 1, maxLength: MAX_VISITOR_CHARACTERS, pattern: '\\S' }),
  },
  { ...closed, title: 'SendChatMessage' },
);
export type SendChatMessage = Static<typeof SendChatMessage>;

/** The query parameters of a request with a file. The request body contains the bytes of the file. */
export const SendChatFile = Type.Object({
  client_id: Type.String({ pattern: CLIENT_ID }),
  name: Type.String({ minLength: 1, maxLength: MAX_ATTACHMENT_NAME }),
});
export type SendChatFile = Static<typeof SendChatFile>;

/** `answering` is true if the agent will answer. False: a member has taken over, or the person has opted out. */
export const SentChatMessage = Type.Object(
  { message: ChatMessage, answering: Type.Boolean() },
  { title: 'SentChatMessage' },
);
export type SentChatMessage = Static<typeof SentChatMessage>;

/** Rates an answer of the agent. With the message of the survey, the request rates the conversation. */
export const RateChat = Type.Object(
  {
    message_id: Type.String({ pattern: idPattern('msg') }),
    score: Type.Enum([-1, 1, 2, 3, 4, 5]),
    /** A comment is allowed only for a rating of the conversation. */
    comment: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_RATING_COMMENT, pattern: RATING_COMMENT })),
  },
  { ...closed, title: 'RateChat' },
);
export type RateChat = Static<typeof RateChat>;

/** Reports that the visitor has seen all messages up to the given message. */
export const ReadChat = Type.Object(
  { message_id: Type.String({ pattern: idPattern('msg') }) },
  { ...closed, title: 'ReadChat' },
);
export type ReadChat = Static<typeof ReadChat>;
