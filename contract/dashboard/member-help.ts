import { Type, type Static } from 'typebox';
import { MAX_MESSAGE_CHARACTERS } from '../limits.ts';
import { MessageSource } from '../messages.ts';
import { closed, Moment, Nullable } from './shapes.ts';

/** The kinds of calls of a connected model that help members in conversations. Each call for a summary has a cost. */
export const MemberHelp = Type.Object(
  {
    /** True: the model writes a summary when a member opens a conversation that was handed over. */
    summary: Type.Boolean(),
    /** True: the model writes the draft of an answer. Without a model, the draft is the best passage. */
    draft: Type.Boolean(),
    /** True: the model translates messages, and replies before they are sent. */
    translation: Type.Boolean(),
  },
  { ...closed, title: 'MemberHelp' },
);
export type MemberHelp = Static<typeof MemberHelp>;

export const ConversationSummaryText = Type.Object(
  {
    text: Type.String(),
    /** The provider and the model that wrote the text. */
    model: Type.String(),
    created_at: Moment,
  },
  { title: 'ConversationSummaryText' },
);
export type ConversationSummaryText = Static<typeof ConversationSummaryText>;

export const DraftedReply = Type.Object(
  {
    /** Empty: no document answers the question, and no model writes the draft. */
    text: Type.String(),
    sources: Type.Array(MessageSource),
    /** Null: the text is a passage of a document. */
    model: Nullable(Type.String()),
  },
  { title: 'DraftedReply' },
);
export type DraftedReply = Static<typeof DraftedReply>;

/** The field `to` is a language, or `person` for the language of the person in the conversation. */
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

/** The language of the summary, which is English by default. */
export const SummaryQuery = Type.Object({ language: Type.Optional(Type.String({ format: 'locale', maxLength: 35 })) });
