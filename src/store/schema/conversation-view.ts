import { jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import type { CreateConversationViewBody } from '../../../contract/dashboard/conversation-views.ts';
import { createdAt, orgId } from './columns.ts';
import { organization } from './identity.ts';

/** Saved filters of the list of conversations, with a name. A view belongs to one member or is shared. */
export const conversationView = pgTable(
  'conversation_view',
  {
    orgId: orgId().references(() => organization.id),
    id: text('id').notNull(),
    /** Null: the view is shared. */
    userId: text('user_id'),
    name: text('name').notNull(),
    filters: jsonb('filters').$type<CreateConversationViewBody['filters']>().notNull(),
    createdAt: createdAt(),
  },
  (table) => [primaryKey({ columns: [table.orgId, table.id] })],
);
