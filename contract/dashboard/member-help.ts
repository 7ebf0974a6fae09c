import { Type, type Static } from 'typebox';
import { MAX_MESSAGE_CHARACTERS } from '../limits.ts';
import { MessageSource } from '../messages.ts';
import { closed, Moment, Nullable } from './shapes.ts';

/** Which calls of a connected model help members in conversations. Each call has a cost. */
export const MemberHelp = Type.Object(
  {
    /** A summary when a member opens a conversation that was handed over. */
    summary: Type.Boolean(),
    /** The model writes the draft of an answer. Without a model, the draft is the best passage. */
    draft: Type.Boolean(),
    /** Translations of messages, and of replies before they are sent. */
    translation: Type.Boolean(),
  },
  { ...closed, title: 'MemberHelp' },
);
export type MemberHelp = Static<typeof MemberHelp>;

export const ConversationSummaryText = Type.Object(
  {
    text: Type.String(),
    /** Provider and model. */
    model: Type.String(),
    created_at: Moment,
  },
  { title: 'ConversationSummaryText' },
);
export type ConversationSummaryText = Static<typeof ConversationSummaryText>;

export const DraftedReply = Type.Object(
  {
    /** Empty: no document answers the question, and no model writes. */
    text: Type.String(),
    sources: Type.Array(MessageSource),
    /** Null: the text is a passage of a document. */
    model: Nullable(Type.String()),
  },
  { title: 'DraftedReply' },
);
export type DraftedReply = Static<typeof DraftedReply>;

/** `to`: a language, or `person` for the language of the person in the conversation. */
export const TranslateBody = Type.Object(
  {
    text: Type.String({ minLength: 1, maxLength: MAX_MESSAGE_CHARACTERS }),
    to: Type.Union([Type.Literal('person'), Type.String({ format: 'locale', maxLength: 35 })]),
  },
  closed,
);
export type TranslateBody = Static<typeof TranslateBody>;

export const Translation = Type.Object({ text: Type.String() }, { title: 'Translation' });
export type Translation = Static<typeof Translation>;

/** The language of the summary; without it, English. */
export const SummaryQuery = Type.Object({ language: Type.Optional(Type.String({ format: 'locale', maxLength: 35 })) });
