import { Type, type Static } from 'typebox';
import { closed, Id, Moment } from './shapes.ts';

/** At most this many of the newest questions are read. */
export const MAX_MISSED = 500;
export const MISSED_DAYS = 30;
const MAX_EXAMPLES = 5;

/** Questions with the same topic that the agent could not answer. */
export const MissedQuestion = Type.Object(
  {
    agent_id: Type.String(),
    /** The newest question of the topic. */
    question: Type.String(),
    count: Type.Integer(),
    /** The languages of the questions (`en`, `ar`, `hi`), detected from the script. */
    languages: Type.Array(Type.String()),
    last_at: Moment,
    /**
     * The agent's messages that did not answer the questions. When all messages in the list are marked, the topic is no
     * longer listed.
     */
    message_ids: Type.Array(Type.String()),
    examples: Type.Array(
      Type.Object({ text: Type.String(), conversation_id: Type.String(), end_user_id: Type.String(), at: Moment }),
      { maxItems: MAX_EXAMPLES },
    ),
  },
  { title: 'MissedQuestion' },
);
export type MissedQuestion = Static<typeof MissedQuestion>;

export const MissedQuestions = Type.Object(
  {
    /** The most frequent topic comes first. */
    data: Type.Array(MissedQuestion),
    /** True: more questions exist than the newest questions that were read. */
    has_more: Type.Boolean(),
  },
  { title: 'MissedQuestions' },
);
export type MissedQuestions = Static<typeof MissedQuestions>;

export const SettleQuestionsBody = Type.Object(
  { message_ids: Type.Array(Id('msg'), { minItems: 1, maxItems: MAX_MISSED }) },
  closed,
);
export const SettledQuestions = Type.Object({ settled: Type.Integer() }, { title: 'SettledQuestions' });
