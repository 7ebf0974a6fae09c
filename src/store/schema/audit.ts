import { sql } from 'drizzle-orm';
import { index, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { createdAt, orgId } from './columns.ts';

/**
 * Who did an action, when, and from which address. The table is append-only, and a database trigger (migrations)
 * refuses changes.
 */
export const audit = pgTable(
  'audit',
  {
    orgId: orgId(),
    id: text('id').notNull(),
    /** The ID of a user, or `system` if a schedule made the change. */
    actor: text('actor').notNull(),
    action: text('action').notNull(),
    subjectId: text('subject_id').notNull(),
    facts: jsonb('facts').$type<Record<string, unknown>>().notNull().default({}),
    address: text('address'),
    requestId: text('request_id'),
    /** The access token that the actor used. Null: the actor used a session. */
    tokenId: text('token_id'),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.id] }),
    // The entries about one conversation. The index has no entries about other subjects.
    index('audit_conversation')
      .on(table.subjectId, table.id)
      .where(sql`action LIKE 'conversation.%'`),
  ],
);
