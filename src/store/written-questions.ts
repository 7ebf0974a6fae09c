import { and, eq, isNotNull, sql } from 'drizzle-orm';
import type { Queryable } from './db.ts';
import type { ModelRow } from './models.ts';
import { type ClaimedDocument, documentQueue } from './queue/document-queue.ts';
import { modelProvider } from './schema/agent.ts';

/** Documents for whose passages a model writes questions. */
export const QUESTIONS = documentQueue({
  table: 'document_question',
  results: 'passage_question',
  done: 'written',
  model: 'question_model',
});

export type QuestionConnection = ModelRow & { questionModel: string };

/** The connection that writes the questions of the organization. Null: no questions are written. */
export async function readQuestionConnection(db: Queryable, orgId: string): Promise<QuestionConnection | null> {
  const rows = await db
    .select()
    .from(modelProvider)
    .where(and(eq(modelProvider.orgId, orgId), isNotNull(modelProvider.questionModel)));
  return (rows[0] as QuestionConnection | undefined) ?? null;
}

/** Removes the question model from other connections, because only one connection may have a question model. */
export async function clearOtherQuestionModels(tx: Queryable, orgId: string, provider: string): Promise<void> {
  await tx
    .update(modelProvider)
    .set({ questionModel: null })
    .where(and(eq(modelProvider.orgId, orgId), sql`${modelProvider.provider} <> ${provider}`));
}

const of = ({ org_id: orgId, document_id: id }: ClaimedDocument) => sql`org_id = ${orgId} AND document_id = ${id}`;

/** The keys of the passages of the document that have questions. */
export async function readWrittenPassages(db: Queryable, one: ClaimedDocument): Promise<Set<string>> {
  const found = await db.execute<{ hash: string }>(
    sql`SELECT encode(hash, 'hex') AS hash FROM passage_question WHERE ${of(one)}`,
  );
  return new Set(found.rows.map(({ hash }) => hash));
}

/** Copies the questions of the same passages from other documents of the organization. */
export async function reuseQuestions(tx: Queryable, one: ClaimedDocument, hashes: readonly string[]): Promise<void> {
  if (hashes.length === 0) return;
  await tx.execute(sql`INSERT INTO passage_question (org_id, document_id, hash, questions)
    SELECT DISTINCT ON (p.hash) p.org_id, ${one.document_id}, p.hash, p.questions
    FROM unnest(${sql.param([...hashes])}::text[]) h (hex)
    JOIN passage_question p ON p.org_id = ${one.org_id} AND p.hash = decode(h.hex, 'hex')
    ON CONFLICT DO NOTHING`);
}

export async function writeQuestions(
  tx: Queryable,
  one: ClaimedDocument,
  rows: readonly { hash: string; questions: readonly string[] }[],
): Promise<void> {
  await tx.execute(sql`INSERT INTO passage_question (org_id, document_id, hash, questions)
    SELECT ${one.org_id}, ${one.document_id}, decode(q.hash, 'hex'), ARRAY(SELECT jsonb_array_elements_text(q.questions))
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) q (hash text, questions jsonb)
    ON CONFLICT (org_id, document_id, hash) DO UPDATE SET questions = excluded.questions`);
}
