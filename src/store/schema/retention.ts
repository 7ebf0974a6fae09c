import { bigint, index, integer, pgTable, text } from 'drizzle-orm/pg-core';
import { createdAt, moment, orgId } from './columns.ts';
import { organization } from './identity.ts';

/**
 * Organizations with a retention period for conversations. Without a row, conversations are stored forever. The row is
 * also an entry in the queue of the housekeeper (src/store/organizations/retention.ts). An organization with a pass in
 * progress is due again immediately.
 */
export const retention = pgTable(
  'retention',
  {
    orgId: orgId()
      .primaryKey()
      .references(() => organization.id),
    days: integer('days').notNull(),
    /** The conversation that the pass in progress has reached. */
    cursor: text('cursor').notNull().default(''),
    /** The number of records that the pass in progress has erased so far. */
    conversations: bigint('conversations', { mode: 'number' }).notNull().default(0),
    messages: bigint('messages', { mode: 'number' }).notNull().default(0),
    /** The time when the housekeeper continues, or starts the next pass. */
    dueAt: moment('due_at').notNull().defaultNow(),
    /** The time when the latest pass ended. */
    sweptAt: moment('swept_at'),
    createdAt: createdAt(),
  },
  (table) => [index('retention_due').on(table.dueAt)],
);
