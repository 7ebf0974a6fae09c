import { bigint, index, integer, pgTable, text } from 'drizzle-orm/pg-core';
import { createdAt, moment, orgId } from './columns.ts';
import { organization } from './identity.ts';

/**
 * Organizations that keep conversations for so many days only; no row: for good. At once the place of each in the queue
 * of the housekeeper (store/retention.ts): a pass that is under way is due again at once.
 */
export const retention = pgTable(
  'retention',
  {
    orgId: orgId()
      .primaryKey()
      .references(() => organization.id),
    days: integer('days').notNull(),
    /** The conversation that the pass under way has come to. */
    cursor: text('cursor').notNull().default(''),
    /** What the pass under way has erased so far. */
    conversations: bigint('conversations', { mode: 'number' }).notNull().default(0),
    messages: bigint('messages', { mode: 'number' }).notNull().default(0),
    /** When the housekeeper is to go on, or to begin the next pass. */
    dueAt: moment('due_at').notNull().defaultNow(),
    /** When the latest pass ended. */
    sweptAt: moment('swept_at'),
    createdAt: createdAt(),
  },
  (table) => [index('retention_due').on(table.dueAt)],
);
