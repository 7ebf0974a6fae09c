import { Type, type Static } from 'typebox';
import { MAX_MESSAGE_CHARACTERS } from './limits.ts';

export const MESSAGE_ROLES = ['agent', 'end_user', 'member', 'system'] as const;
export type MessageRole = (typeof MESSAGE_ROLES)[number];

const text = Type.String({ minLength: 1, maxLength: MAX_MESSAGE_CHARACTERS });
const url = Type.String({ format: 'uri', maxLength: 2048 });
export const MAX_CAPTION = 1024;
const caption = Type.Optional(Type.String({ maxLength: MAX_CAPTION }));

/**
 * The `type` decides the form of a message's content. The `capabilities` of a channel list the types that the channel
 * supports.
 */
export const MessageContent = Type.Union(
  [
    Type.Object({ type: Type.Literal('text'), text }, { additionalProperties: false }),
    Type.Object({ type: Type.Literal('image'), url, text: caption }, { additionalProperties: false }),
    Type.Object({ type: Type.Literal('audio'), url, text: caption }, { additionalProperties: false }),
    Type.Object({ type: Type.Literal('video'), url, text: caption }, { additionalProperties: false }),
    Type.Object(
      { type: Type.Literal('file'), url, name: Type.Optional(Type.String({ maxLength: 255 })), text: caption },
      { additionalProperties: false },
    ),
    Type.Object(
      {
        type: Type.Literal('location'),
        latitude: Type.Number({ minimum: -90, maximum: 90 }),
        longitude: Type.Number({ minimum: -180, maximum: 180 }),
        text: caption,
      },
      { additionalProperties: false },
    ),
    Type.Object(
      {
        type: Type.Literal('choices'),
        text,
        choices: Type.Array(
          Type.Object(
            { id: Type.String({ minLength: 1, maxLength: 256 }), label: Type.String({ minLength: 1, maxLength: 256 }) },
            { additionalProperties: false },
          ),
          { minItems: 1, maxItems: 25 },
        ),
      },
      { additionalProperties: false },
    ),
    Type.Object(
      {
        type: Type.Literal('template'),
        name: Type.String({ minLength: 1, maxLength: 512 }),
        language: Type.Optional(Type.String({ maxLength: 35 })),
        variables: Type.Optional(Type.Record(Type.String(), Type.String({ maxLength: 1024 }))),
        text: caption,
      },
      { additionalProperties: false },
    ),
  ],
  { title: 'MessageContent' },
);
export type MessageContent = Static<typeof MessageContent>;

/** The source of an answer, with the name of the document and the literal passage. */
export const MessageSource = Type.Object({ document: Type.String(), quote: Type.String() });
export type MessageSource = Static<typeof MessageSource>;

/** A message, in the same form in every response. */
export const Message = Type.Object(
  {
    id: Type.String(),
    role: Type.Enum(MESSAGE_ROLES),
    content: MessageContent,
    sources: Type.Array(MessageSource),
    created_at: Type.String({ format: 'date-time' }),
  },
  { title: 'Message' },
);
export type Message = Static<typeof Message>;
