import { sql } from 'drizzle-orm';
import { type AnyPgColumn, foreignKey, index, integer, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { document } from './agent.ts';
import { bytes, moment, orgId } from './columns.ts';

/** The reason why a document waits or is not tried again. */
export type DocumentFault = { code: string; detail: string };

/**
 * The columns of a queue of documents whose passages a model processes. The columns `due_at` and `lease` work as for
 * sources.
 */
const queueColumns = () => ({
  orgId: orgId(),
  documentId: text('document_id').notNull(),
  agentId: text('agent_id').notNull(),
  /** The number of distinct passages of the document. Null until the passages are counted. */
  passages: integer('passages'),
  /** The number of consecutive failures of the document. */
  attempts: integer('attempts').notNull().default(0),
  fault: jsonb('fault').$type<DocumentFault>(),
  /** Null: the row needs no work. */
  dueAt: moment('due_at'),
  lease: text('lease'),
  updatedAt: moment('updated_at').notNull().defaultNow(),
});

type OfDocument = Record<'orgId' | 'documentId', AnyPgColumn>;

const deletedWithDocument = (name: string, table: OfDocument) =>
  foreignKey({
    name: `${name}_document`,
    columns: [table.orgId, table.documentId],
    foreignColumns: [document.orgId, document.id],
  }).onDelete('cascade');

const queueKeys = (name: string, table: OfDocument & Record<'dueAt' | 'agentId', AnyPgColumn>) => [
  primaryKey({ columns: [table.orgId, table.documentId] }),
  deletedWithDocument(name, table),
  index(`${name}_due`)
    .on(table.dueAt)
    .where(sql`due_at IS NOT NULL`),
  index(`${name}_agent`).on(table.agentId),
];

/** The queue of documents to embed. */
export const documentEmbedding = pgTable(
  'document_embedding',
  {
    ...queueColumns(),
    /** The number of passages that have a vector. */
    embedded: integer('embedded').notNull().default(0),
  },
  (table) => queueKeys('document_embedding', table),
);

/** The queue of documents whose passages get questions from a model. */
export const documentQuestion = pgTable(
  'document_question',
  {
    ...queueColumns(),
    /** The number of passages for which the model was called. */
    written: integer('written').notNull().default(0),
  },
  (table) => queueKeys('document_question', table),
);

const resultColumns = () => ({
  orgId: orgId(),
  documentId: text('document_id').notNull(),
  hash: bytes('hash').notNull(),
});

const resultKeys = (name: string, table: OfDocument & { hash: AnyPgColumn }) => [
  primaryKey({ columns: [table.orgId, table.documentId, table.hash] }),
  deletedWithDocument(name, table),
  index(`${name}_hash`).on(table.hash),
];

/**
 * The questions that a model wrote for a passage. The hash is the key of the passage, which includes its headings and
 * text.
 */
export const passageQuestion = pgTable(
  'passage_question',
  { ...resultColumns(), questions: text('questions').array().notNull() },
  (table) => resultKeys('passage_question', table),
);

/** The vector of one passage, with one byte per dimension. The hash covers the model and the text. */
export const passageEmbedding = pgTable(
  'passage_embedding',
  { ...resultColumns(), vector: bytes('vector').notNull() },
  (table) => resultKeys('passage_embedding', table),
);
