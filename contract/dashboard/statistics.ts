import { Type, type Static } from 'typebox';
import { closed, Moment, Nullable } from './shapes.ts';

/**
 * The hours of each period. The response also contains the previous period of the same length. The last hour is the
 * current one.
 */
export const NUMBER_PERIODS = { '24h': 24, '7d': 7 * 24, '30d': 30 * 24 } as const;
export type NumberPeriod = keyof typeof NUMBER_PERIODS;

/**
 * Why a conversation was handed over: the person asked, a rule matched, too many questions were not understood, the
 * model decided, people are the fallback of a model, the person did not answer, or a member took over.
 */
export const HAND_OFF_REASONS = ['asked', 'rule', 'not_understood', 'model', 'stand_in', 'no_reply', 'member'] as const;
export type HandOffReason = (typeof HAND_OFF_REASONS)[number];

export const NumbersQuery = Type.Object(
  { period: Type.Optional(Type.Enum(Object.keys(NUMBER_PERIODS) as NumberPeriod[])) },
  closed,
);

const Change = Type.Object({ now: Type.Integer(), before: Type.Integer() });
export type Change = Static<typeof Change>;
const Seconds = Nullable(Type.Integer());
const Count = Type.Object({ name: Type.String(), count: Type.Integer() });

export const Numbers = Type.Object(
  {
    period: Type.Enum(Object.keys(NUMBER_PERIODS) as NumberPeriod[]),
    from: Moment,
    to: Moment,
    /** False: the server is still counting these days. Repeat the call in a moment. */
    complete: Type.Boolean(),
    /** Counted by the hour of their start. */
    conversations: Change,
    /** Conversations of the period that have ended, and those of them without a member. */
    ended: Change,
    ended_alone: Change,
    /** Ended because the person did not answer, without a person of the team. */
    ended_no_reply: Change,
    handed_off: Change,
    hand_off_reasons: Type.Array(Count),
    /** The median time from the hand-off to the first message of a member. Null: no member answered. */
    first_reply_seconds: Type.Object({ now: Seconds, before: Seconds }),
    /** Surveys that people answered, counted by the hour of the answer, and the average of their scores, 1 to 5. */
    ratings: Change,
    rating_average: Type.Object({ now: Nullable(Type.Number()), before: Nullable(Type.Number()) }),
    /** By score. */
    rating_scores: Type.Array(Count),
    /** Answers of agents that people rated as good or bad. */
    answers_good: Change,
    answers_bad: Change,
    /** Messages of agents and members, by their current delivery state. */
    messages: Change,
    message_states: Type.Array(Count),
    /** Calls of the public API. */
    calls: Change,
    refused: Change,
    failed: Change,
    /** Problem codes of the refused requests in the request log. Under load, the log contains a sample. */
    refusals: Type.Array(Count),
    /** Hours with at least one conversation or hand-off. */
    hours: Type.Array(Type.Object({ at: Moment, conversations: Type.Integer(), handed_off: Type.Integer() })),
  },
  { title: 'Numbers' },
);
export type Numbers = Static<typeof Numbers>;
