import type { ModelCheck } from '../../../contract/dashboard/models.ts';
import { invalidAt, Refusal } from '../../../contract/problems.ts';
import { touchAgents } from '../../store/agents/write.ts';
import { lockOrganization } from '../../store/documents.ts';
import { type EmbeddingConnection, setDimensions } from '../../store/embeddings/read.ts';
import { EMBEDDINGS } from '../../store/embeddings/queue.ts';
import { lockModel, readModel } from '../../store/models.ts';
import type { Answering } from '../../answering/open-answering.ts';
import { BATCH_TIMEOUT_MS, callEmbeddings, forDocuments } from '../../answering/models/call-embeddings.ts';
import type { ConnectionDeps } from '../../answering/models/call-connection.ts';
import { ProviderError } from '../../engine/provider.ts';
import type { ModelsDeps } from './deps.ts';
import { readProvider, unknownProvider } from './set-model.ts';

export type CheckModelDeps = Pick<ModelsDeps, 'db'> & { answering: Pick<Answering, 'connections'> };

/**
 * Calls the embedding model once and records its number of dimensions. If the number of dimensions has changed, the
 * name now means another model, so every document is embedded again. `thenChecked` checks the caller again after the
 * answer of the model, and before any change.
 */
export async function checkModel(
  { db, answering }: CheckModelDeps,
  orgId: string,
  name: string,
  thenChecked: (waiting: Promise<number>) => Promise<number> = (waiting) => waiting,
): Promise<ModelCheck> {
  const provider = readProvider(name);
  const connection = await readModel(db, orgId, provider);
  if (!connection) throw unknownProvider();
  const { embeddingModel } = connection;
  if (embeddingModel === null) {
    throw invalidAt('', 'embedding_model_required', 'The connection has no embedding model. Set one first.');
  }
  const dimensions = await thenChecked(countDimensions(answering.connections, { ...connection, embeddingModel }));
  await db.transaction(async (tx) => {
    await lockOrganization(tx, orgId);
    const now = await lockModel(tx, orgId, provider);
    if (now?.embeddingModel !== embeddingModel || now.baseUrl !== connection.baseUrl) return;
    if (now.embeddingDimensions === dimensions) return EMBEDDINGS.retryAllFailed(tx, orgId);
    await setDimensions(tx, orgId, provider, dimensions);
    if (now.embeddingDimensions === null) await EMBEDDINGS.retryAllFailed(tx, orgId);
    else await EMBEDDINGS.queueAllDocuments(tx, orgId);
    await touchAgents(tx, orgId);
  });
  return { embedding_model: embeddingModel, embedding_dimensions: dimensions };
}

/** Makes one call to the model, which counts in the usage. The call belongs to no agent. */
async function countDimensions(deps: ConnectionDeps, connection: EmbeddingConnection): Promise<number> {
  const unknown = { ...connection, embeddingDimensions: null };
  const caller = forDocuments(connection.orgId, '');
  try {
    const [vector] = await callEmbeddings(deps, unknown, ['A first text.'], caller, { timeoutMs: BATCH_TIMEOUT_MS });
    return vector!.length;
  } catch (error) {
    if (error instanceof ProviderError) throw new Refusal('provider_failed', error.message, { cause: error });
    throw error;
  }
}
