import { Type, type Static } from 'typebox';
import { MAX_MONTH_DAY } from '../schedule-days.ts';
import { ClockTime } from '../campaigns.ts';
import { closed, Id, Moment, Nullable } from './shapes.ts';

/** A response contains this number of coming days. */
export const NEXT_STARTS = 3;

/** In a shorter month, the campaign starts on the last day of the month. */
const MonthDay = Type.Integer({ minimum: 1, maximum: MAX_MONTH_DAY });

const schedule = {
  segment_id: Id('segment'),
  days: Type.Array(Type.Integer({ minimum: 1, maximum: 7 }), {
    maxItems: 7,
    uniqueItems: true,
    description: 'Days of the week; 1 is Monday. Empty if the campaign repeats monthly.',
  }),
  /**
   * True: the start time is in the time zone of each person. People without a time zone get the time zone of the
   * campaign.
   */
  at: ClockTime,
};

/**
 * A campaign that repeats on days of the week or on one day of each month. On each day, Parley starts a new campaign
 * with the same settings for the people who are in the segment at that time.
 */
export const CampaignSchedule = Type.Object(
  {
    ...schedule,
    month_day: Nullable(MonthDay),
    segment_name: Nullable(Type.String({ description: 'Null: the segment was deleted, so no campaign starts.' })),
    paused: Type.Boolean(),
    /** The days on which the next campaigns start. The value is empty while the campaign is paused. */
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
