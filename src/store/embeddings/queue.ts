import { sql } from 'drizzle-orm';
import type { Queryable } from '../db.ts';
import { leasedQueue } from '../queue/leased-queue.ts';
import type { EmbeddingFault } from '../schema/embedding.ts';

/**
 * Documents whose passages must be embedded. The rows of the vectors show which passages are finished, so the next
 * worker continues where a killed one stopped. Rows of a model whose gate is closed are not claimed, because the
 * provider requested a pause or fails.
 */
const QUEUE = leasedQueue('document_embedding', ['org_id', 'document_id']);

export type ClaimedDocument = {
  org_id: string;
  document_id: string;
  agent_id: string;
  lease: string;
  attempts: number;
  /** Null: the passages are not counted yet. */
  passages: number | null;
};

/** Queues a new or changed document. Without an embedding model, it does nothing. */
export async function queueDocument(tx: Queryable, orgId: string, documentId: string): Promise<void> {
  await tx.execute(sql`INSERT INTO document_embedding AS e (org_id, document_id, agent_id, due_at)
    SELECT d.org_id, d.id, d.agent_id, now() FROM document d JOIN model_provider m ON m.org_id = d.org_id
      AND m.embedding_model IS NOT NULL
    WHERE d.org_id = ${orgId} AND d.id = ${documentId}
    ON CONFLICT (org_id, document_id) DO UPDATE SET ${AGAIN}`);
}

/** Queues all documents when the embedding model was changed or removed. The caller has locked the organization. */
export async function queueAllDocuments(tx: Queryable, orgId: string): Promise<void> {
  await tx.execute(sql`INSERT INTO document_embedding AS e (org_id, document_id, agent_id, due_at)
    SELECT org_id, id, agent_id, now() FROM document d WHERE org_id = ${orgId} AND (
      EXISTS (SELECT 1 FROM model_provider m WHERE m.org_id = d.org_id AND m.embedding_model IS NOT NULL)
      OR EXISTS (SELECT 1 FROM document_embedding o WHERE o.org_id = d.org_id AND o.document_id = d.id))
    ON CONFLICT (org_id, document_id) DO UPDATE SET ${AGAIN}`);
}

/** A worker that processes the old text, or calls the old model, loses its lease. */
const AGAIN = sql`due_at = excluded.due_at, lease = NULL, passages = NULL, attempts = 0, fault = NULL,
  updated_at = excluded.updated_at`;

/** Tries failed documents, and those that wait after a failure, now. */
export async function retryFailed(db: Queryable, orgId: string, agentId: string): Promise<number> {
  const tried = await db.execute(sql`UPDATE document_embedding SET due_at = now(), attempts = 0, fault = NULL,
      updated_at = now()
    WHERE org_id = ${orgId} AND agent_id = ${agentId} AND fault IS NOT NULL AND lease IS NULL`);
  return tried.rowCount ?? 0;
}

/** The user entered the connection again, so the documents that failed with it are tried now. */
export async function retryAllFailed(db: Queryable, orgId: string): Promise<void> {
  await db.execute(sql`UPDATE document_embedding SET due_at = now(), attempts = 0, fault = NULL, updated_at = now()
    WHERE org_id = ${orgId} AND fault IS NOT NULL AND lease IS NULL`);
}

/** Uncounted documents come first, because counting is quick and makes the progress complete. */
export const claimDocument = QUEUE.claimOne<ClaimedDocument>({
  due: QUEUE.dueFirst({
    and: `AND NOT EXISTS (
      SELECT 1 FROM model_provider m JOIN model_gate g ON g.org_id = m.org_id AND g.provider = m.provider
        AND g.model = m.embedding_model AND g.closed_until > now()
      WHERE m.org_id = q.org_id AND m.embedding_model IS NOT NULL AND q.passages IS NOT NULL)`,
    orderBy: 'q.passages IS NOT NULL, q.due_at',
  }),
  returning: 'q.org_id, q.document_id, q.agent_id, q.lease, q.attempts, q.passages',
});

/**
 * Renews the lease and locks the row until the transaction ends. Returns false if the row no longer belongs to this
 * worker. The document is locked first, which is the order of a deletion.
 */
export async function holdDocument(tx: Queryable, one: ClaimedDocument): Promise<boolean> {
  await tx.execute(sql`SELECT 1 FROM document WHERE org_id = ${one.org_id} AND id = ${one.document_id} FOR KEY SHARE`);
  return QUEUE.renew(tx, one, sql`updated_at = now()`);
}

export type Progress = { passages: number; embedded: number };

/** Releases the remaining passages for the next claim. */
export async function releaseDocument(db: Queryable, one: ClaimedDocument, progress: Progress | null): Promise<void> {
  await QUEUE.release(
    db,
    one,
    0,
    sql`attempts = 0, fault = NULL, passages = coalesce(${progress?.passages ?? null}::int, passages),
      embedded = coalesce(${progress?.embedded ?? null}::int, embedded), updated_at = now()`,
  );
}

/** Called when all passages of the document have a vector. */
export const finishDocument = (tx: Queryable, one: ClaimedDocument, { passages }: Progress): Promise<boolean> =>
  QUEUE.finish(
    tx,
    one,
    sql`attempts = 0, fault = NULL, passages = ${passages}, embedded = ${passages}, updated_at = now()`,
  );

/** Embeddings are off, so the document's entry is deleted. */
export async function dropDocument(tx: Queryable, one: ClaimedDocument): Promise<boolean> {
  const gone = await tx.execute(sql`DELETE FROM document_embedding WHERE ${QUEUE.underLease(one)}`);
  return gone.rowCount === 1;
}

/**
 * Called after a failure. The document is tried again after a delay. With null, it is tried again only when a person
 * requests it. `all`: the failure affects everything that waits in the organization, or of this agent.
 */
export async function postponeDocument(
  db: Queryable,
  one: ClaimedDocument,
  { fault, inSeconds, all }: { fault: EmbeddingFault; inSeconds: number | null; all?: 'organization' | 'agent' },
): Promise<void> {
  const others =
    all === undefined
      ? sql`false`
      : sql`lease IS NULL AND due_at IS NOT NULL AND passages IS NOT NULL
          AND ${all === 'organization' ? sql`true` : sql`agent_id = ${one.agent_id}`}`;
  await db.execute(sql`UPDATE document_embedding SET lease = NULL, attempts = attempts + (lease IS NOT NULL)::int,
      fault = ${JSON.stringify(fault)}::jsonb, due_at = now() + make_interval(secs => ${inSeconds}::float8),
      updated_at = now()
    WHERE org_id = ${one.org_id} AND ((${QUEUE.underLease(one)}) OR (${others}))`);
}
