import { boolean, foreignKey, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import type { LocalizedText } from '../../../contract/agents.ts';
import type { WorkingHours } from '../../../contract/dashboard/hand-offs.ts';
import { moment, orgId } from './columns.ts';
import { member, organization } from './identity.ts';

/** The recipients of an organization's hand-offs. Without a row, hand-offs wait for all members at all hours. */
export const handOffRule = pgTable('hand_off_rule', {
  orgId: orgId()
    .primaryKey()
    .references(() => organization.id),
  /** The value is one of HAND_OFF_RECIPIENTS. */
  goesTo: text('goes_to').notNull(),
  userId: text('user_id'),
  hours: jsonb('hours').$type<WorkingHours>(),
  outside: jsonb('outside').$type<LocalizedText>(),
});

/**
 * The time when a member last had the dashboard open and visible, and the time of their last hand-off. The row is
 * deleted with the membership.
 */
export const memberAttendance = pgTable(
  'member_attendance',
  {
    orgId: orgId(),
    userId: text('user_id').notNull(),
    seenAt: moment('seen_at').notNull(),
    givenAt: moment('given_at'),
    /** True: the member has chosen to be away and gets no hand-offs. */
    away: boolean('away').notNull().default(false),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.userId] }),
    foreignKey({
      columns: [table.orgId, table.userId],
      foreignColumns: [member.organizationId, member.userId],
    }).onDelete('cascade'),
  ],
);
