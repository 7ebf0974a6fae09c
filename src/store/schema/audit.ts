import { sql } from 'drizzle-orm';
import { index, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { createdAt, orgId } from './columns.ts';

/** Who did an action, when, and from which address. Append-only: a database trigger (migrations) refuses changes. */
export const audit = pgTable(
  'audit',
  {
    orgId: orgId(),
    id: text('id').notNull(),
    /** The ID of a user, or `system` for an action of a schedule. */
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
    // What members did with one conversation. Entries about other subjects are not in this index.
    index('audit_conversation')
      .on(table.subjectId, table.id)
      .where(sql`action LIKE 'conversation.%'`),
  ],
);
