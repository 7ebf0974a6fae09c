import { Type, type Static } from 'typebox';
import { closed, Moment } from './shapes.ts';

/**
 * Up to this number of hours, a report has one point per hour. Above this number of hours, a report has one point per
 * day.
 */
export const REPORT_HOURS = 96;
/** A longer report contains only the newest days. */
export const REPORT_DAYS = 120;

/**
 * The stages of a messaged person, in their order. The stage `left` means that the person opted out in the
 * conversation.
 */
export const REPORT_STEPS = ['sent', 'delivered', 'read', 'answered', 'left'] as const;
export type ReportStep = (typeof REPORT_STEPS)[number];

export const ReportQuery = Type.Object(
  /** The time zone of the hours and days. Absent: the time zone is UTC. */
  { time_zone: Type.Optional(Type.String({ format: 'time-zone', maxLength: 64 })) },
  closed,
);

const Count = Type.Integer();
export const CampaignReport = Type.Object(
  {
    by: Type.Enum(['hour', 'day'] as const),
    /** The response has UTC if the database does not know the requested zone. */
    time_zone: Type.String(),
    /** One point for each hour or day after the first message. The field `at` is the start of the hour or day. */
    points: Type.Array(
      Type.Object({ at: Moment, sent: Count, delivered: Count, read: Count, answered: Count, left: Count }),
      { maxItems: REPORT_DAYS },
    ),
  },
  { title: 'CampaignReport' },
);
export type CampaignReport = Static<typeof CampaignReport>;
