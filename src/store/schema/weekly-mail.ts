import { boolean, date, foreignKey, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { orgId } from './columns.ts';
import { member } from './identity.ts';

/**
 * A member's choice about the weekly mail, and the last mail that the member got. The row is deleted with the
 * membership.
 */
export const weeklyMail = pgTable(
  'weekly_mail',
  {
    orgId: orgId(),
    userId: text('user_id').notNull(),
    /** Null: the member has not chosen. If the member has not chosen, owners and admins get the mail. */
    wanted: boolean('wanted'),
    timeZone: text('time_zone').notNull().default('UTC'),
    /** The language is `en` or `ar`. */
    language: text('language').notNull().default('en'),
    /** The Monday of the newest finished week, with or without a sent mail. */
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
