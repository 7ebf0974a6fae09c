import type { ModelCheck } from '../../../contract/dashboard/models.ts';
import { touchAgents } from '../../store/agents/write.ts';
import { lockOrganization } from '../../store/documents.ts';
import { type EmbeddingConnection, setDimensions } from '../../store/embeddings/read.ts';
import { queueAllDocuments, retryAllFailed } from '../../store/embeddings/queue.ts';
import { lockModel, readModel } from '../../store/models.ts';
import type { ModelsDeps } from './deps.ts';
import { invalid, readProvider, unknownProvider } from './set-model.ts';

/** Dimensions of the vectors of one call. Rejects with a Refusal. */
export type TryEmbedding = (connection: EmbeddingConnection) => Promise<number>;

/**
 * Calls the embedding model once and records how many dimensions it has. If these are others than before, the model
 * behind the name is another one: every document is embedded again.
 */
export async function checkModel(
  { db, tryEmbedding }: Pick<ModelsDeps, 'db'> & { tryEmbedding: TryEmbedding },
  orgId: string,
  name: string,
): Promise<ModelCheck> {
  const provider = readProvider(name);
  const connection = await readModel(db, orgId, provider);
  if (!connection) throw unknownProvider();
  const { embeddingModel } = connection;
  if (embeddingModel === null) {
    throw invalid('', 'embedding_model_required', 'The connection has no embedding model. Set one first.');
  }
  const dimensions = await tryEmbedding({ ...connection, embeddingModel });
  await db.transaction(async (tx) => {
    await lockOrganization(tx, orgId);
    const now = await lockModel(tx, orgId, provider);
    if (now?.embeddingModel !== embeddingModel || now.baseUrl !== connection.baseUrl) return;
    if (now.embeddingDimensions === dimensions) return retryAllFailed(tx, orgId);
    await setDimensions(tx, orgId, provider, dimensions);
    if (now.embeddingDimensions === null) await retryAllFailed(tx, orgId);
    else await queueAllDocuments(tx, orgId);
    await touchAgents(tx, orgId);
  });
  return { embedding_model: embeddingModel, embedding_dimensions: dimensions };
}
