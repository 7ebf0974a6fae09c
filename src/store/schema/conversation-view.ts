import { jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import type { CreateConversationViewBody } from '../../../contract/dashboard/conversation-views.ts';
import { createdAt, orgId } from './columns.ts';
import { organization } from './identity.ts';

/** Filters of the list of conversations under a name: one member's own, or for all. */
export const conversationView = pgTable(
  'conversation_view',
  {
    orgId: orgId().references(() => organization.id),
    id: text('id').notNull(),
    /** Null: it is shared. */
    userId: text('user_id'),
    name: text('name').notNull(),
    filters: jsonb('filters').$type<CreateConversationViewBody['filters']>().notNull(),
    createdAt: createdAt(),
  },
  (table) => [primaryKey({ columns: [table.orgId, table.id] })],
);
