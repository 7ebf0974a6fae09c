import { sql } from 'drizzle-orm';
import { foreignKey, index, integer, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { document } from './agent.ts';
import { bytes, moment, orgId } from './columns.ts';

export type EmbeddingFault = { code: string; detail: string };

/** The queue of documents to embed. `due_at` and `lease` work as for sources. A row without `due_at` needs no work. */
export const documentEmbedding = pgTable(
  'document_embedding',
  {
    orgId: orgId(),
    documentId: text('document_id').notNull(),
    agentId: text('agent_id').notNull(),
    /** The number of distinct passages of the document. Null until they are counted. */
    passages: integer('passages'),
    /** The number of passages that have a vector. */
    embedded: integer('embedded').notNull().default(0),
    /** The number of consecutive failures. */
    attempts: integer('attempts').notNull().default(0),
    fault: jsonb('fault').$type<EmbeddingFault>(),
    dueAt: moment('due_at'),
    lease: text('lease'),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.documentId] }),
    foreignKey({
      name: 'document_embedding_document',
      columns: [table.orgId, table.documentId],
      foreignColumns: [document.orgId, document.id],
    }).onDelete('cascade'),
    index('document_embedding_due')
      .on(table.dueAt)
      .where(sql`due_at IS NOT NULL`),
    index('document_embedding_agent').on(table.agentId),
  ],
);

/** The vector of one passage, with one byte per dimension. The hash covers the model and the text. */
export const passageEmbedding = pgTable(
  'passage_embedding',
  {
    orgId: orgId(),
    documentId: text('document_id').notNull(),
    hash: bytes('hash').notNull(),
    vector: bytes('vector').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.documentId, table.hash] }),
    foreignKey({
      name: 'passage_embedding_document',
      columns: [table.orgId, table.documentId],
      foreignColumns: [document.orgId, document.id],
    }).onDelete('cascade'),
    index('passage_embedding_hash').on(table.hash),
  ],
);
