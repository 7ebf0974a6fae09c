import { Type, type Static } from 'typebox';
import { closed, Moment, Nullable } from './shapes.ts';

/**
 * The hours of each period. The response also contains the previous period of the same length. The last hour of a
 * period is the current hour.
 */
export const NUMBER_PERIODS = { '24h': 24, '7d': 7 * 24, '30d': 30 * 24 } as const;
export type NumberPeriod = keyof typeof NUMBER_PERIODS;

/**
 * The reasons of a hand-off: the person asked, a rule matched, too many questions were not understood, the model
 * decided, people are the fallback of a model, the person did not answer, or a member took over.
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
    /**
     * False: the server is still counting the days of the period. If the server is still counting, repeat the call a
     * moment later.
     */
    complete: Type.Boolean(),
    /** The conversations, counted by the hour of their start. */
    conversations: Change,
    /** The conversations of the period that have ended, and the part that ended without a member. */
    ended: Change,
    ended_alone: Change,
    /** The conversations that ended without a member because the person did not answer. */
    ended_no_reply: Change,
    handed_off: Change,
    hand_off_reasons: Type.Array(Count),
    /** The median time from the hand-off to the first message of a member. Null: no member answered. */
    first_reply_seconds: Type.Object({ now: Seconds, before: Seconds }),
    /**
     * The surveys that people answered, counted by the hour of the answer, and the average of their scores from 1 to 5.
     */
    ratings: Change,
    rating_average: Type.Object({ now: Nullable(Type.Number()), before: Nullable(Type.Number()) }),
    /** The number of surveys by score. */
    rating_scores: Type.Array(Count),
    /** The answers of agents that people rated as good or bad. */
    answers_good: Change,
    answers_bad: Change,
    /** The messages of agents and members, by their current delivery state. */
    messages: Change,
    message_states: Type.Array(Count),
    /** The number of calls of the public API. */
    calls: Change,
    refused: Change,
    failed: Change,
    /** The problem codes of refused requests in the request log. Under load, the log contains a sample. */
    refusals: Type.Array(Count),
    /** The hours with at least one conversation or hand-off. */
    hours: Type.Array(Type.Object({ at: Moment, conversations: Type.Integer(), handed_off: Type.Integer() })),
  },
  { title: 'Numbers' },
);
export type Numbers = Static<typeof Numbers>;
