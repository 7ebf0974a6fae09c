import { sql } from 'drizzle-orm';
import { boolean, foreignKey, index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { campaign } from './campaign.ts';
import { moment, orgId } from './columns.ts';

/** When a campaign repeats, and also its entry in the queue: `next_at` is the first moment of `next_day` anywhere. */
export const campaignSchedule = pgTable(
  'campaign_schedule',
  {
    orgId: orgId(),
    campaignId: text('campaign_id').notNull(),
    /** The segment may be deleted: then no round is made. */
    segmentId: text('segment_id').notNull(),
    days: integer('days').array().notNull(),
    /** Instead of days of the week, which are empty then. */
    monthDay: integer('month_day'),
    at: text('at').notNull(),
    paused: boolean('paused').notNull().default(false),
    /** Null while it is paused. */
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
