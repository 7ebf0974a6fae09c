import { boolean, date, foreignKey, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { orgId } from './columns.ts';
import { member } from './identity.ts';

/** Whether and how a member gets the weekly mail, and which one they got last. It goes with the membership. */
export const weeklyMail = pgTable(
  'weekly_mail',
  {
    orgId: orgId(),
    userId: text('user_id').notNull(),
    /** Null: the member has not chosen; owners and admins get it. */
    wanted: boolean('wanted'),
    timeZone: text('time_zone').notNull().default('UTC'),
    /** `en` or `ar`. */
    language: text('language').notNull().default('en'),
    /** The Monday of the newest week that is done, sent or not. */
    week: date('week'),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.userId] }),
    foreignKey({
      columns: [table.orgId, table.userId],
      foreignColumns: [member.organizationId, member.userId],
    }).onDelete('cascade'),
  ],
);
