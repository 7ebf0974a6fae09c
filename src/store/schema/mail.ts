import { index, integer, pgTable, text } from 'drizzle-orm/pg-core';
import { createdAt, moment } from './columns.ts';

/**
 * A mail that waits to be sent. A worker claims a mail like a run (run.ts). The row is deleted when the mail is sent or
 * abandoned.
 */
export const mail = pgTable(
  'mail',
  {
    id: text('id').primaryKey(),
    /** Null: a decoy, which is never sent (store/mail.ts). */
    recipient: text('recipient'),
    /** The subject, text and link, sealed with the mail key, because the link grants access. */
    sealed: text('sealed').notNull(),
    attempts: integer('attempts').notNull().default(0),
    dueAt: moment('due_at').notNull().defaultNow(),
    /** After this time, the worker does not send the mail. */
    expiresAt: moment('expires_at').notNull(),
    lease: text('lease'),
    createdAt: createdAt(),
  },
  (table) => [index('mail_due').on(table.dueAt)],
);
