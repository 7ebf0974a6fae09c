import { Type, type Static } from 'typebox';
import { MAX_MONTH_DAY } from '../campaign-rounds.ts';
import { ClockTime } from '../campaigns.ts';
import { closed, Id, Moment, Nullable } from './shapes.ts';

/** How many coming rounds are told. */
export const NEXT_ROUNDS = 3;

/** A month that is shorter has its round on its last day. */
const MonthDay = Type.Integer({ minimum: 1, maximum: MAX_MONTH_DAY });

const schedule = {
  segment_id: Id('segment'),
  days: Type.Array(Type.Integer({ minimum: 1, maximum: 7 }), {
    maxItems: 7,
    uniqueItems: true,
    description: 'Days of the week, 1 is Monday; none for one that repeats monthly.',
  }),
  /** Where each person is; people without a time zone have that of the campaign. */
  at: ClockTime,
};

/**
 * A campaign that repeats: on each of these days, or on one of each month, a round is made, a campaign of its own with the
 * settings of this one and with the people who are in the segment then.
 */
export const CampaignSchedule = Type.Object(
  {
    ...schedule,
    month_day: Nullable(MonthDay),
    segment_name: Nullable(Type.String({ description: 'Null: the segment was deleted, so no round is made.' })),
    paused: Type.Boolean(),
    /** Days of the next rounds; none while it is paused. */
    next: Type.Array(Type.String({ format: 'date' })),
    updated_at: Moment,
  },
  { title: 'CampaignSchedule' },
);
export type CampaignSchedule = Static<typeof CampaignSchedule>;

export const CampaignScheduleAnswer = Type.Object({ schedule: Nullable(CampaignSchedule) });
export type CampaignScheduleAnswer = Static<typeof CampaignScheduleAnswer>;

export const SetScheduleBody = Type.Object(
  { ...schedule, month_day: Type.Optional(Nullable(MonthDay)), paused: Type.Optional(Type.Boolean()) },
  closed,
);
export type SetScheduleBody = Static<typeof SetScheduleBody>;
