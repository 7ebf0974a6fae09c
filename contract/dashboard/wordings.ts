import { Type, type Static } from 'typebox';
import { closed, Id, Moment, Nullable } from './shapes.ts';

/** The maximum number of learned questions of one agent, and of one passage. */
export const MAX_WORDINGS = 1_000;
export const MAX_WORDINGS_OF_PASSAGE = 20;
export const MAX_WORDING_CHARACTERS = 500;

const PassageKey = Type.String({ pattern: '^[0-9a-f]{32}$' });
const Question = Type.String({ minLength: 1, maxLength: MAX_WORDING_CHARACTERS });

/** A question that a passage answers in other words. */
export const WordingRecord = Type.Object(
  {
    id: Type.String(),
    agent_id: Type.String(),
    document_id: Type.String(),
    document: Type.String(),
    heading: Nullable(Type.String()),
    /** The beginning of the passage's text. */
    quote: Type.String(),
    question: Type.String(),
    /**
     * The origin `member` means that a member confirmed the wording. The origin `people` means that three different
     * people chose this passage for the question.
     */
    origin: Type.Union([Type.Literal('member'), Type.Literal('people')]),
    created_at: Moment,
  },
  { title: 'Wording' },
);
export type WordingRecord = Static<typeof WordingRecord>;

/** A question in the words of a person. */
export const LearnedQuestion = Type.Object(
  {
    question: Question,
    /** The person who asked the question. The wording is erased together with the person. */
    from: Type.Optional(Id('enduser')),
  },
  closed,
);
export type LearnedQuestion = Static<typeof LearnedQuestion>;

export const AddWordingBody = Type.Object(
  {
    question: Question,
    document_id: Id('doc'),
    passage: PassageKey,
    /** The person who asked the question. The wording is erased together with the person. */
    from: Type.Optional(Id('enduser')),
  },
  closed,
);
export type AddWordingBody = Static<typeof AddWordingBody>;

export const AddedWording = Type.Object({ id: Type.String() }, { title: 'AddedWording' });

export const SuggestPassagesQuery = Type.Object(
  {
    question: Question,
    /**
     * The message of the agent that did not answer the question. Passages similar to the first reply of a member after
     * this message come first.
     */
    message_id: Type.Optional(Id('msg')),
  },
  closed,
);
export type SuggestPassagesQuery = Static<typeof SuggestPassagesQuery>;

/** The passages that may answer a question, and the reply of a member to the question. */
export const SuggestedPassages = Type.Object(
  {
    reply: Nullable(Type.String()),
    passages: Type.Array(
      Type.Object({
        document_id: Type.String(),
        document: Type.String(),
        heading: Nullable(Type.String()),
        passage: Type.String(),
        text: Type.String(),
      }),
    ),
  },
  { title: 'SuggestedPassages' },
);
export type SuggestedPassages = Static<typeof SuggestedPassages>;
