import { sql } from 'drizzle-orm';
import { boolean, foreignKey, index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { campaign } from './campaign.ts';
import { moment, orgId } from './columns.ts';

/**
 * The days on which a campaign repeats. The row is also an entry of the queue: `next_at` is the time at which
 * `next_day` begins in the first time zone.
 */
export const campaignSchedule = pgTable(
  'campaign_schedule',
  {
    orgId: orgId(),
    campaignId: text('campaign_id').notNull(),
    /** If the segment was deleted, the schedule starts no campaign. */
    segmentId: text('segment_id').notNull(),
    days: integer('days').array().notNull(),
    /**
     * The day of the month on which the campaign repeats. If the schedule has a day of the month, the days of the week
     * are empty.
     */
    monthDay: integer('month_day'),
    at: text('at').notNull(),
    paused: boolean('paused').notNull().default(false),
    /** Null while the schedule is paused. */
    nextDay: text('next_day'),
    nextAt: moment('next_at'),
    createdBy: text('created_by').notNull(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.campaignId] }),
    foreignKey({ columns: [table.orgId, table.campaignId], foreignColumns: [campaign.orgId, campaign.id] }),
    index('campaign_schedule_due')
      .on(table.nextAt)
      .where(sql`next_at IS NOT NULL`),
  ],
);
