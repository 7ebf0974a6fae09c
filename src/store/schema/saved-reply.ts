import { sql } from 'drizzle-orm';
import { jsonb, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core';
import type { LocalizedText } from '../../../contract/agents.ts';
import type { ReplyActions } from '../../../contract/dashboard/conversations.ts';
import { createdAt, moment, orgId } from './columns.ts';
import { organization } from './identity.ts';

/**
 * Texts that members use again and again. Saved replies contain no data of a person, because variables stand for such
 * data.
 */
export const savedReply = pgTable(
  'saved_reply',
  {
    orgId: orgId().references(() => organization.id),
    id: text('id').notNull(),
    name: text('name').notNull(),
    shortcut: text('shortcut').notNull(),
    text: jsonb('text').$type<LocalizedText>().notNull(),
    /** The change of the conversation when a member sends the reply. */
    actions: jsonb('actions').$type<ReplyActions>().notNull().default({}),
    createdAt: createdAt(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.id] }),
    uniqueIndex('saved_reply_shortcut').on(table.orgId, sql`lower(${table.shortcut})`),
  ],
);
