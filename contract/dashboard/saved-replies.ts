import { Type, type Static } from 'typebox';
import { ReplyActions } from './conversations.ts';
import { closed, Moment, Name } from './shapes.ts';

/** The list of saved replies has no pages, because one organization has at most this many. */
export const MAX_SAVED_REPLIES = 500;
export const MAX_SAVED_REPLY_CHARACTERS = 4_000;
const MAX_LANGUAGES = 20;
/** The list shows this many characters of a text. */
export const SAVED_REPLY_PREVIEW = 160;

const shortcut = Type.String({
  minLength: 1,
  maxLength: 32,
  pattern: '^[^\\s/]+$',
  description: 'The text after the slash that finds the reply. It is unique in the organization, regardless of case.',
});

const texts = Type.Record(
  Type.String({ pattern: '^(default|[a-z]{2,3})$' }),
  Type.String({ minLength: 1, maxLength: MAX_SAVED_REPLY_CHARACTERS, pattern: '\\S' }),
  {
    minProperties: 1,
    maxProperties: MAX_LANGUAGES,
    description:
      'Text per language; "default" is used if no key matches the language of the conversation. Texts may contain variables: {{name}}, {{name|there}}, {{end_user.order}}, {{member.name}}.',
  },
);

const summary = {
  id: Type.String(),
  name: Type.String(),
  shortcut: Type.String(),
  /** Empty: the reply only sends its text. */
  actions: ReplyActions,
  created_at: Moment,
  updated_at: Moment,
};

export const SavedReplySummary = Type.Object(
  {
    ...summary,
    languages: Type.Array(Type.String()),
    /** The start of the default text, or of the first text if the reply has no default text. */
    preview: Type.String(),
  },
  { title: 'SavedReplySummary' },
);
export type SavedReplySummary = Static<typeof SavedReplySummary>;

export const SavedReplyRecord = Type.Object({ ...summary, text: texts }, { title: 'SavedReply' });
export type SavedReplyRecord = Static<typeof SavedReplyRecord>;

export const CreateSavedReplyBody = Type.Object(
  { name: Name, shortcut, text: texts, actions: Type.Optional(ReplyActions) },
  closed,
);
export type CreateSavedReplyBody = Static<typeof CreateSavedReplyBody>;

export const UpdateSavedReplyBody = Type.Object(
  {
    name: Type.Optional(Name),
    shortcut: Type.Optional(shortcut),
    text: Type.Optional(texts),
    actions: Type.Optional(ReplyActions),
  },
  closed,
);
export type UpdateSavedReplyBody = Static<typeof UpdateSavedReplyBody>;

/** A saved reply in the language of the conversation, with the values of the person and of the requesting member. */
export const FilledReply = Type.Object(
  {
    /** Variables without a value and a fallback stay unchanged in the text. */
    text: Type.String(),
    /** The names of variables that have no value. */
    missing: Type.Array(Type.String()),
  },
  { title: 'FilledReply' },
);
export type FilledReply = Static<typeof FilledReply>;
