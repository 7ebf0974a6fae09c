import {
  BATCH_TIMEOUT_MS,
  callEmbeddings,
  type EmbeddingsDeps,
  forDocuments,
} from '../../answering/models/call-embeddings.ts';
import { batchOf } from '../../engine/knowledge/embedding-batch.ts';
import { textToEmbed, vectorKeys } from '../../engine/knowledge/vector-key.ts';
import { EMBEDDINGS } from '../../store/embeddings/queue.ts';
import { type EmbeddingConnection, readEmbeddingConnection, recordDimensions } from '../../store/embeddings/read.ts';
import { readKnownHashes, reuseVectors, writeVectors } from '../../store/embeddings/vectors.ts';
import {
  createDocumentWorker,
  type DocumentWork,
  type DocumentWorkerDeps,
  passagesInSlices,
} from '../document-work.ts';
import type { PagedLoop } from '../paged-loop.ts';

const BATCHES_A_TURN = 4;

/** The worker that embeds the passages of documents. */
export const createEmbeddingWorker = (deps: EmbeddingsDeps & DocumentWorkerDeps): PagedLoop =>
  createDocumentWorker(embedding(deps), deps);

const embedding = (deps: EmbeddingsDeps): DocumentWork<EmbeddingConnection, string> => ({
  rows: 'embeddings',
  queue: EMBEDDINGS,
  capacity: 2,
  readConnection: readEmbeddingConnection,

  /** Returns the distinct texts of a document. */
  async partsOf(document, { provider, baseUrl, embeddingModel: model }) {
    const keyOf = vectorKeys({ provider, baseUrl, model });
    const texts = new Map<string, string>();
    for await (const passage of passagesInSlices(document)) {
      const text = textToEmbed(passage);
      texts.set(keyOf(text), text);
    }
    return texts;
  },

  readKnown: async (tx, claimed, { embeddingDimensions: dimensions }) =>
    dimensions === null ? new Set() : readKnownHashes(tx, claimed, dimensions),

  async reuse(tx, claimed, keys, { embeddingDimensions: dimensions }) {
    if (dimensions !== null) await reuseVectors(tx, claimed, keys, dimensions);
  },

  /** The size of a batch depends on the number of dimensions, which the first batch shows. */
  batches: ({ embeddingDimensions: dimensions }) => ({
    size: batchOf(dimensions),
    count: dimensions === null ? 1 : BATCHES_A_TURN,
  }),

  async call(parts, { claimed, connection, stopping }) {
    const vectors = await callEmbeddings(
      deps,
      connection,
      parts.map(([, text]) => text),
      forDocuments(claimed.org_id, claimed.agent_id),
      { timeoutMs: BATCH_TIMEOUT_MS, signal: stopping },
    );
    if (connection.embeddingDimensions === null && !(await recordDimensions(deps.db, connection, vectors[0]!.length)))
      return null;
    const rows = parts.map(([key], at) => {
      const { buffer, byteOffset, byteLength } = vectors[at]!;
      return { hash: Buffer.from(key, 'hex'), vector: Buffer.from(buffer, byteOffset, byteLength) };
    });
    return (tx) => writeVectors(tx, claimed, rows);
  },
});
