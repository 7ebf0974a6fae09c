import { Type, type Static } from 'typebox';
import { closed, Moment } from './shapes.ts';

/** A report is by the hour until this is over, then by the day. */
export const REPORT_HOURS = 96;
/** The newest days of a longer campaign. */
export const REPORT_DAYS = 120;

/** What becomes of messaged people, in the order in which it does. `left`: they opted out in the conversation. */
export const REPORT_STEPS = ['sent', 'delivered', 'read', 'answered', 'left'] as const;
export type ReportStep = (typeof REPORT_STEPS)[number];

export const ReportQuery = Type.Object(
  /** Hours and days are those of this zone; absent: UTC. */
  { time_zone: Type.Optional(Type.String({ format: 'time-zone', maxLength: 64 })) },
  closed,
);

const Count = Type.Integer();
export const CampaignReport = Type.Object(
  {
    by: Type.Enum(['hour', 'day'] as const),
    /** UTC where the database does not know the zone that was asked for. */
    time_zone: Type.String(),
    /** From the first message on, without a gap. `at`: when the hour or day begins. */
    points: Type.Array(
      Type.Object({ at: Moment, sent: Count, delivered: Count, read: Count, answered: Count, left: Count }),
      { maxItems: REPORT_DAYS },
    ),
  },
  { title: 'CampaignReport' },
);
export type CampaignReport = Static<typeof CampaignReport>;
