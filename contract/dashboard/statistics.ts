import { Type, type Static } from 'typebox';
import { closed, Moment, Nullable } from './shapes.ts';

/** With the period before it of the same length; hours are whole, and the last one is the hour in progress. */
export const NUMBER_PERIODS = { '24h': 24, '7d': 7 * 24, '30d': 30 * 24 } as const;
export type NumberPeriod = keyof typeof NUMBER_PERIODS;

/**
 * Why a conversation went to people: the person asked, a rule said so, too many answers were not understood, the model
 * decided, it stands in for a model, or a member took it.
 */
export const HAND_OFF_REASONS = ['asked', 'rule', 'not_understood', 'model', 'stand_in', 'member'] as const;
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
    /** False: the days are still being counted; ask again in a moment. */
    complete: Type.Boolean(),
    /** By the hour in which they began. */
    conversations: Change,
    /** Those of them that have ended, and of these the ones in which no person took part. */
    ended: Change,
    ended_alone: Change,
    handed_off: Change,
    hand_off_reasons: Type.Array(Count),
    /** The median from the hand-off to the first message of a member. Null: none was answered. */
    first_reply_seconds: Type.Object({ now: Seconds, before: Seconds }),
    /** Of agents and members, by their delivery state now. */
    messages: Change,
    message_states: Type.Array(Count),
    /** Calls of the public API. */
    calls: Change,
    refused: Change,
    failed: Change,
    /** Codes of the refusals that the request log has; under load it has a sample. */
    refusals: Type.Array(Count),
    /** Hours in which something happened. */
    hours: Type.Array(Type.Object({ at: Moment, conversations: Type.Integer(), handed_off: Type.Integer() })),
  },
  { title: 'Numbers' },
);
export type Numbers = Static<typeof Numbers>;
