import { sql } from 'drizzle-orm';
import { foreignKey, index, integer, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { document } from './agent.ts';
import { bytes, moment, orgId } from './columns.ts';

/** The reason why a document waits, or is not tried again. */
export type DocumentFault = { code: string; detail: string };

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
    fault: jsonb('fault').$type<DocumentFault>(),
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

/** The queue of documents for whose passages a model writes questions. It works as the queue of embeddings. */
export const documentQuestion = pgTable(
  'document_question',
  {
    orgId: orgId(),
    documentId: text('document_id').notNull(),
    agentId: text('agent_id').notNull(),
    passages: integer('passages'),
    /** The number of passages for which the model was asked. */
    written: integer('written').notNull().default(0),
    attempts: integer('attempts').notNull().default(0),
    fault: jsonb('fault').$type<DocumentFault>(),
    dueAt: moment('due_at'),
    lease: text('lease'),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.documentId] }),
    foreignKey({
      name: 'document_question_document',
      columns: [table.orgId, table.documentId],
      foreignColumns: [document.orgId, document.id],
    }).onDelete('cascade'),
    index('document_question_due')
      .on(table.dueAt)
      .where(sql`due_at IS NOT NULL`),
    index('document_question_agent').on(table.agentId),
  ],
);

/** The questions that a model wrote for a passage. The hash is the key of the passage, so it covers its headings and text. */
export const passageQuestion = pgTable(
  'passage_question',
  {
    orgId: orgId(),
    documentId: text('document_id').notNull(),
    hash: bytes('hash').notNull(),
    questions: text('questions').array().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.documentId, table.hash] }),
    foreignKey({
      name: 'passage_question_document',
      columns: [table.orgId, table.documentId],
      foreignColumns: [document.orgId, document.id],
    }).onDelete('cascade'),
    index('passage_question_hash').on(table.hash),
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
