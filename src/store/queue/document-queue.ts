import { sql } from 'drizzle-orm';
import type { Queryable } from '../db.ts';
import type { DocumentFault } from '../schema/embedding.ts';
import { storable } from '../../kernel/storable.ts';
import { leasedQueue } from './leased-queue.ts';

/**
 * The queue of documents whose passages a model must process, for example to embed them. The stored results show which
 * passages are finished, so the next worker continues where a killed worker stopped. No worker claims rows of a model
 * whose gate is closed, because the provider requested a pause or fails.
 */
export type ClaimedDocument = {
  org_id: string;
  document_id: string;
  agent_id: string;
  lease: string;
  attempts: number;
  /** Null: the passages are not counted yet. */
  passages: number | null;
};

export type Progress = { passages: number; done: number };

type Names = {
  table: 'document_embedding' | 'document_question';
  /** The table with the results, one for each passage. */
  results: 'passage_embedding' | 'passage_question';
  /** The column with the number of finished passages. */
  done: 'embedded' | 'written';
  /** The column of the connection with the name of the model. */
  model: 'embedding_model' | 'question_model';
};

export type DocumentQueue = ReturnType<typeof documentQueue>;

export function documentQueue(names: Names) {
  return { table: names.table, ...filling(names), ...leasing(names), ...reading(names) };
}

function filling({ table: name, model: modelName }: Names) {
  const [table, model] = [sql.raw(name), sql.raw(modelName)];
  /** A worker with the old text or the old model loses its lease. */
  const again = sql`due_at = excluded.due_at, lease = NULL, passages = NULL, attempts = 0, fault = NULL,
    updated_at = excluded.updated_at`;
  const retried = sql`due_at = now(), attempts = 0, fault = NULL, updated_at = now()`;
  return {
    /** Queues a new or changed document. Without a model, the call does nothing. */
    async queueDocument(tx: Queryable, orgId: string, documentId: string): Promise<void> {
      await tx.execute(sql`INSERT INTO ${table} AS e (org_id, document_id, agent_id, due_at)
        SELECT d.org_id, d.id, d.agent_id, now() FROM document d JOIN model_provider m ON m.org_id = d.org_id
          AND m.${model} IS NOT NULL
        WHERE d.org_id = ${orgId} AND d.id = ${documentId}
        ON CONFLICT (org_id, document_id) DO UPDATE SET ${again}`);
    },

    /** Queues all documents when the model was changed or removed. The caller has locked the organization. */
    async queueAllDocuments(tx: Queryable, orgId: string): Promise<void> {
      await tx.execute(sql`INSERT INTO ${table} AS e (org_id, document_id, agent_id, due_at)
        SELECT org_id, id, agent_id, now() FROM document d WHERE org_id = ${orgId} AND (
          EXISTS (SELECT 1 FROM model_provider m WHERE m.org_id = d.org_id AND m.${model} IS NOT NULL)
          OR EXISTS (SELECT 1 FROM ${table} o WHERE o.org_id = d.org_id AND o.document_id = d.id))
        ON CONFLICT (org_id, document_id) DO UPDATE SET ${again}`);
    },

    /** Makes the agent's failed documents, and documents that wait after a failure, due now. */
    async retryFailed(db: Queryable, orgId: string, agentId: string): Promise<number> {
      const tried = await db.execute(sql`UPDATE ${table} SET ${retried}
        WHERE org_id = ${orgId} AND agent_id = ${agentId} AND fault IS NOT NULL AND lease IS NULL`);
      return tried.rowCount ?? 0;
    },

    /** Makes failed documents due after the user has entered the connection again. */
    async retryAllFailed(db: Queryable, orgId: string): Promise<void> {
      await db.execute(sql`UPDATE ${table} SET ${retried}
        WHERE org_id = ${orgId} AND fault IS NOT NULL AND lease IS NULL`);
    },
  };
}

function leasing({ table: name, results, done: doneName, model: modelName }: Names) {
  const queue = leasedQueue(name, ['org_id', 'document_id']);
  const [table, done] = [sql.raw(name), sql.raw(doneName)];
  return {
    /** Uncounted documents come first, because counting is quick and makes the progress complete. */
    claimDocument: queue.claimOne<ClaimedDocument>({
      due: queue.dueFirst({
        and: `AND NOT EXISTS (
          SELECT 1 FROM model_provider m JOIN model_gate g ON g.org_id = m.org_id AND g.provider = m.provider
            AND g.model = m.${modelName} AND g.closed_until > now()
          WHERE m.org_id = q.org_id AND m.${modelName} IS NOT NULL AND q.passages IS NOT NULL)`,
        orderBy: 'q.passages IS NOT NULL, q.due_at',
      }),
      returning: 'q.org_id, q.document_id, q.agent_id, q.lease, q.attempts, q.passages',
    }),

    /**
     * Renews the lease of the document and locks the row until the transaction ends. Returns false if the row belongs
     * to another worker. The document is locked before the row, which is the order of a deletion.
     */
    async holdDocument(tx: Queryable, one: ClaimedDocument): Promise<boolean> {
      await tx.execute(
        sql`SELECT 1 FROM document WHERE org_id = ${one.org_id} AND id = ${one.document_id} FOR KEY SHARE`,
      );
      return queue.renew(tx, one, sql`updated_at = now()`);
    },

    /** Releases the remaining passages of the document for the next claim. */
    async releaseDocument(db: Queryable, one: ClaimedDocument, progress: Progress | null): Promise<void> {
      await queue.release(
        db,
        one,
        0,
        sql`attempts = 0, fault = NULL, passages = coalesce(${progress?.passages ?? null}::int, passages),
          ${done} = coalesce(${progress?.done ?? null}::int, ${done}), updated_at = now()`,
      );
    },

    /** This function is called when all passages of the document are finished. */
    finishDocument: (tx: Queryable, one: ClaimedDocument, passages: number): Promise<boolean> =>
      queue.finish(
        tx,
        one,
        sql`attempts = 0, fault = NULL, passages = ${passages}, ${done} = ${passages}, updated_at = now()`,
      ),

    /** Deletes the results of passages that the document no longer has, and results of another model. */
    async dropOtherResults(tx: Queryable, one: ClaimedDocument, hashes: readonly string[]): Promise<void> {
      await tx.execute(sql`DELETE FROM ${sql.raw(results)} WHERE org_id = ${one.org_id}
        AND document_id = ${one.document_id} AND encode(hash, 'hex') <> ALL (${sql.param([...hashes])}::text[])`);
    },

    /** Deletes the document's entry, because the model is off. */
    async dropDocument(tx: Queryable, one: ClaimedDocument): Promise<boolean> {
      const gone = await tx.execute(sql`DELETE FROM ${table} WHERE ${queue.underLease(one)}`);
      return gone.rowCount === 1;
    },

    /**
     * This function is called after a failure of the model. The document is tried again after a delay. If the delay is
     * null, the next attempt needs a request of a person. `all`: the failure affects all waiting documents of the
     * organization, or of this agent.
     */
    async postponeDocument(
      db: Queryable,
      one: ClaimedDocument,
      { fault, inSeconds, all }: { fault: DocumentFault; inSeconds: number | null; all?: 'organization' | 'agent' },
    ): Promise<void> {
      const others =
        all === undefined
          ? sql`false`
          : sql`lease IS NULL AND due_at IS NOT NULL AND passages IS NOT NULL
              AND ${all === 'organization' ? sql`true` : sql`agent_id = ${one.agent_id}`}`;
      await db.execute(sql`UPDATE ${table} SET lease = NULL, attempts = attempts + (lease IS NOT NULL)::int,
          fault = ${storable(fault)}::jsonb, due_at = now() + make_interval(secs => ${inSeconds}::float8),
          updated_at = now()
        WHERE org_id = ${one.org_id} AND ((${queue.underLease(one)}) OR (${others}))`);
    },
  };
}

function reading({ table: name, done: doneName, model: modelName }: Names) {
  const [table, done, model] = [sql.raw(name), sql.raw(doneName), sql.raw(modelName)];
  return {
    /** True if documents of the agent wait for the model. */
    async hasWaiting(db: Queryable, orgId: string, agentId: string): Promise<boolean> {
      const found = await db.execute(sql`SELECT 1 FROM ${table}
        WHERE org_id = ${orgId} AND agent_id = ${agentId} AND due_at IS NOT NULL LIMIT 1`);
      return found.rows.length > 0;
    },

    /** The progress of the documents of an agent. */
    async readState(db: Queryable, orgId: string, agentId: string): Promise<DocumentsState> {
      const { rows } = await db.execute<DocumentsState>(sql`
        SELECT count(*)::int AS documents, count(passages)::int AS counted,
          (count(*) FILTER (WHERE due_at IS NULL AND fault IS NULL))::int AS finished,
          (count(*) FILTER (WHERE due_at IS NULL AND fault IS NOT NULL))::int AS failed,
          coalesce(sum(passages), 0)::int AS passages,
          coalesce(sum(${done}) FILTER (WHERE passages IS NOT NULL), 0)::int AS done,
          (array_agg(fault ORDER BY updated_at DESC) FILTER (WHERE fault IS NOT NULL))[1] AS fault,
          to_char(greatest(min(due_at), (
            SELECT max(g.closed_until) FROM model_gate g JOIN model_provider m ON m.org_id = g.org_id
              AND m.provider = g.provider AND m.${model} = g.model WHERE g.org_id = ${orgId}))
            AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS "nextAt"
        FROM ${table} WHERE org_id = ${orgId} AND agent_id = ${agentId}`);
      return rows[0]!;
    },
  };
}

export type DocumentsState = {
  documents: number;
  counted: number;
  finished: number;
  failed: number;
  passages: number;
  done: number;
  fault: DocumentFault | null;
  /** The time at which the next document is due. Null: no document is due. */
  nextAt: string | null;
};
