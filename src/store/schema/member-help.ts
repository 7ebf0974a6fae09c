import { boolean, foreignKey, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { createdAt, moment, orgId } from './columns.ts';
import { conversation } from './conversation.ts';
import { organization } from './identity.ts';

/**
 * The kinds of help for members for which an organization calls a model. Without a row, Parley calls no model for help.
 */
export const memberHelp = pgTable('member_help', {
  orgId: orgId()
    .primaryKey()
    .references(() => organization.id),
  summary: boolean('summary').notNull(),
  draft: boolean('draft').notNull(),
  translation: boolean('translation').notNull(),
});

/** The summary of a conversation at its last hand-off. The summary is deleted with the conversation. */
export const conversationSummary = pgTable(
  'conversation_summary',
  {
    orgId: orgId(),
    conversationId: text('conversation_id').notNull(),
    text: text('text').notNull(),
    model: text('model').notNull(),
    handedOffAt: moment('handed_off_at').notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.conversationId] }),
    foreignKey({
      columns: [table.orgId, table.conversationId],
      foreignColumns: [conversation.orgId, conversation.id],
    }).onDelete('cascade'),
  ],
);
