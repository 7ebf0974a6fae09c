import { sql } from 'drizzle-orm';
import { foreignKey, index, pgTable, primaryKey, text, unique } from 'drizzle-orm/pg-core';
import { document } from './agent.ts';
import { bytes, createdAt, orgId } from './columns.ts';

/**
 * A question that a passage answers in other words. `active`: the search uses the wording. `tap`: one person chose the
 * passage for this question. The choice counts when other people make the same choice. `removed`: a member removed the
 * wording, so later choices do not add it again.
 */
export const passageWording = pgTable(
  'passage_wording',
  {
    orgId: orgId(),
    id: text('id').notNull(),
    agentId: text('agent_id').notNull(),
    documentId: text('document_id').notNull(),
    /** The key of the passage, and the digest of the question's words (`src/engine/knowledge/question-key.ts`). */
    passage: bytes('passage').notNull(),
    words: bytes('words').notNull(),
    question: text('question').notNull(),
    /** The beginning of the passage, which the list shows. */
    heading: text('heading'),
    quote: text('quote').notNull(),
    state: text('state').$type<'active' | 'tap' | 'removed'>().notNull(),
    origin: text('origin').$type<'member' | 'people'>().notNull(),
    /** The person who wrote the question. The row is erased together with the person. */
    endUserId: text('end_user_id'),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.id] }),
    foreignKey({
      name: 'passage_wording_document',
      columns: [table.orgId, table.documentId],
      foreignColumns: [document.orgId, document.id],
    }).onDelete('cascade'),
    unique('passage_wording_once')
      .on(table.orgId, table.documentId, table.passage, table.words, table.endUserId)
      .nullsNotDistinct(),
    index('passage_wording_list').on(table.agentId, table.createdAt),
    index('passage_wording_person')
      .on(table.endUserId)
      .where(sql`end_user_id IS NOT NULL`),
  ],
);
