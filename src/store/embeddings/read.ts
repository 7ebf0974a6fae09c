import { and, eq, isNotNull, isNull, sql } from 'drizzle-orm';
import type pg from 'pg';
import type { Queryable } from '../db.ts';
import type { ModelRow } from '../models.ts';
import { modelProvider } from '../schema/agent.ts';

export type EmbeddingConnection = ModelRow & { embeddingModel: string };

/** The connection that makes the embeddings of the organization. Null: embeddings are off. */
export async function readEmbeddingConnection(db: Queryable, orgId: string): Promise<EmbeddingConnection | null> {
  const rows = await db
    .select()
    .from(modelProvider)
    .where(and(eq(modelProvider.orgId, orgId), isNotNull(modelProvider.embeddingModel)));
  return (rows[0] as EmbeddingConnection | undefined) ?? null;
}

/** Removes the embedding model from other connections, because only one connection may have an embedding model. */
export async function clearOtherEmbeddingModels(tx: Queryable, orgId: string, provider: string): Promise<void> {
  await tx
    .update(modelProvider)
    .set({ embeddingModel: null, embeddingDimensions: null })
    .where(
      and(
        eq(modelProvider.orgId, orgId),
        sql`${modelProvider.provider} <> ${provider}`,
        isNotNull(modelProvider.embeddingModel),
      ),
    );
}

/**
 * Records the number of dimensions of the first vectors. Returns false if the model was changed after the call, or has
 * another number of dimensions.
 */
export async function recordDimensions(
  db: Queryable,
  { orgId, provider, embeddingModel }: EmbeddingConnection,
  dimensions: number,
): Promise<boolean> {
  const is = and(
    eq(modelProvider.orgId, orgId),
    eq(modelProvider.provider, provider),
    eq(modelProvider.embeddingModel, embeddingModel),
  );
  await db
    .update(modelProvider)
    .set({ embeddingDimensions: dimensions })
    .where(and(is, isNull(modelProvider.embeddingDimensions)));
  const rows = await db.select({ now: modelProvider.embeddingDimensions }).from(modelProvider).where(is);
  return rows[0]?.now === dimensions;
}

export async function setDimensions(tx: Queryable, orgId: string, provider: string, dimensions: number): Promise<void> {
  await tx
    .update(modelProvider)
    .set({ embeddingDimensions: dimensions })
    .where(and(eq(modelProvider.orgId, orgId), eq(modelProvider.provider, provider)));
}

/** The data that a search of an agent's documents needs. `edition` changes with each vector. */
export type AgentVectors = {
  provider: string;
  baseUrl: string | null;
  model: string;
  dimensions: number;
  edition: string;
};

/** Null: embeddings are off, or there is no vector yet. */
export async function readAgentVectors(pool: pg.Pool, orgId: string, agentId: string): Promise<AgentVectors | null> {
  const found = await pool.query<AgentVectors>({
    name: 'read-agent-vectors',
    text: `SELECT m.provider, m.base_url AS "baseUrl", m.embedding_model AS model, m.embedding_dimensions AS dimensions,
        concat_ws(' ', m.provider, m.base_url, m.embedding_model, m.embedding_dimensions, e.edition) AS edition
      FROM model_provider m CROSS JOIN LATERAL (
        SELECT md5(string_agg(concat_ws(' ', document_id, embedded, extract(epoch FROM updated_at)), ','
          ORDER BY document_id)) AS edition
        FROM document_embedding WHERE org_id = m.org_id AND agent_id = $2
        -- With few vectors the search would prefer the passages that have one.
        HAVING count(passages) >= 0.9 * count(*) AND sum(embedded) >= 0.9 * sum(passages)) e
      WHERE m.org_id = $1 AND m.embedding_model IS NOT NULL AND m.embedding_dimensions IS NOT NULL
        AND e.edition IS NOT NULL`,
    values: [orgId, agentId],
  });
  return found.rows[0] ?? null;
}

/** Makes the new vectors visible to the next turn of the agent. */
export async function showVectors(db: Queryable, orgId: string, agentId: string): Promise<void> {
  await db.execute(
    sql`UPDATE agent SET revision = revision + 1 WHERE org_id = ${orgId} AND id = ${agentId} AND deleted_at IS NULL`,
  );
}
