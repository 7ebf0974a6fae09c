import type { Logger } from 'pino';
import { batchOf } from '../../engine/knowledge/embedding-batch.ts';
import { textToEmbed, vectorKeys } from '../../engine/knowledge/vector-key.ts';
import type { Db } from '../../store/db.ts';
import { readDocument } from '../../store/documents.ts';
import { EMBEDDINGS } from '../../store/embeddings/queue.ts';
import { type EmbeddingConnection, readEmbeddingConnection, recordDimensions } from '../../store/embeddings/read.ts';
import { dropOtherVectors, readKnownHashes, reuseVectors, writeVectors } from '../../store/embeddings/vectors.ts';
import type { ClaimedDocument } from '../../store/queue/document-queue.ts';
import { LEASE_SECONDS } from '../../store/queue/lease-seconds.ts';
import { createShow, passagesInSlices, settleFailure } from '../document-work.ts';
import { createPagedLoop, type PagedLoop } from '../paged-loop.ts';
import {
  BATCH_TIMEOUT_MS,
  callEmbeddings,
  type EmbeddingsDeps,
  forDocuments,
} from '../../answering/models/call-embeddings.ts';

/**
 * Embeds the passages of documents in the background, in batches under a lease. A batch is stored before the next one
 * is requested. So another worker can continue the document of a killed worker, and only passages of the interrupted
 * batch are paid for twice. First every document is counted, so that the total is known. Then the documents take turns.
 */
export type EmbeddingWorkerDeps = EmbeddingsDeps & { log: Logger; pollMs?: number };

const CAPACITY = 2;
const POLL_MS = 2_000;
/** After this many batches, other documents and other organizations have their turn. */
const BATCHES_A_TURN = 4;

export const createEmbeddingWorker = (deps: EmbeddingWorkerDeps): PagedLoop => {
  const { db, log, pollMs = POLL_MS } = deps;
  const show = createShow(db, EMBEDDINGS);
  return createPagedLoop({
    rows: 'embeddings',
    log,
    pollMs,
    leaseSeconds: LEASE_SECONDS.document_embedding,
    capacity: CAPACITY,
    claim: (lease) => EMBEDDINGS.claimDocument(db, lease),
    work: async (held, stopping) => {
      const connection = await readEmbeddingConnection(db, held.org_id);
      if (!connection) await forget(db, held);
      else if (await embed({ deps, held, connection, stopping })) await show(held);
    },
    fail: (held, error, stopping) => settleFailure(EMBEDDINGS, deps, held, error, stopping),
    ids: ({ document_id: document }) => ({ document }),
  });
};

/** Embeddings are off, so the document is removed from the queue. */
async function forget(db: Db, held: ClaimedDocument): Promise<void> {
  await db.transaction(async (tx) => {
    if (!(await EMBEDDINGS.holdDocument(tx, held))) return;
    await dropOtherVectors(tx, held, []);
    await EMBEDDINGS.dropDocument(tx, held);
  });
}

type Job = {
  deps: EmbeddingWorkerDeps;
  held: ClaimedDocument;
  connection: EmbeddingConnection;
  stopping: AbortSignal;
};

/** Returns true if the document is finished, or false if others have their turn first. */
async function embed(job: Job): Promise<boolean> {
  const { held, connection, stopping } = job;
  const { db } = job.deps;
  const document = await readDocument(db, held.org_id, held.agent_id, held.document_id);
  if (!document) return false;
  const texts = await textsOf(document, connection);
  const keys = [...texts.keys()];
  const dimensions = connection.embeddingDimensions;
  const known = dimensions === null ? new Set<string>() : await readKnown(db, held, keys, dimensions);
  const missing = keys.filter((key) => !known.has(key));
  const progress = () => ({ passages: keys.length, done: keys.length - missing.length });
  const leave = async (): Promise<false> => {
    await EMBEDDINGS.releaseDocument(db, held, progress());
    return false;
  };
  if (missing.length > 0 && held.passages === null) return leave();
  const size = batchOf(dimensions);
  for (let batch = 0; missing.length > 0; batch++) {
    if (batch === BATCHES_A_TURN || stopping.aborted) return leave();
    const some = missing.slice(0, size);
    if (!(await embedBatch(job, some, texts))) return false;
    missing.splice(0, some.length);
    // The size of the next batch depends on the dimensions.
    if (dimensions === null) return leave();
  }
  return db.transaction(async (tx) => {
    if (!(await EMBEDDINGS.holdDocument(tx, held))) return false;
    await dropOtherVectors(tx, held, keys);
    return EMBEDDINGS.finishDocument(tx, held, progress());
  });
}

/** The passages that already have a vector, including one from another document. None if the lease is lost. */
async function readKnown(
  db: Db,
  held: ClaimedDocument,
  keys: readonly string[],
  dimensions: number,
): Promise<Set<string>> {
  return db.transaction(async (tx) => {
    if (!(await EMBEDDINGS.holdDocument(tx, held))) return new Set<string>();
    const known = await readKnownHashes(tx, held, dimensions);
    const missing = keys.filter((key) => !known.has(key));
    await reuseVectors(tx, held, missing, dimensions);
    return readKnownHashes(tx, held, dimensions);
  });
}

/** Returns false if the document belongs to another worker now. */
async function embedBatch(
  { deps, held, connection, stopping }: Job,
  keys: readonly string[],
  texts: ReadonlyMap<string, string>,
): Promise<boolean> {
  const { db } = deps;
  const vectors = await callEmbeddings(
    deps,
    connection,
    keys.map((key) => texts.get(key)!),
    forDocuments(held.org_id, held.agent_id),
    { timeoutMs: BATCH_TIMEOUT_MS, signal: stopping },
  );
  if (connection.embeddingDimensions === null && !(await recordDimensions(db, connection, vectors[0]!.length))) {
    await EMBEDDINGS.releaseDocument(db, held, null);
    return false;
  }
  const rows = keys.map((key, at) => {
    const { buffer, byteOffset, byteLength } = vectors[at]!;
    return { hash: Buffer.from(key, 'hex'), vector: Buffer.from(buffer, byteOffset, byteLength) };
  });
  return db.transaction(async (tx) => {
    if (!(await EMBEDDINGS.holdDocument(tx, held))) return false;
    await writeVectors(tx, held, rows);
    return true;
  });
}

/** The distinct texts of a document by their keys. */
async function textsOf(
  document: { id: string; name: string; text: string },
  { provider, baseUrl, embeddingModel: model }: EmbeddingConnection,
): Promise<Map<string, string>> {
  const keyOf = vectorKeys({ provider, baseUrl, model });
  const texts = new Map<string, string>();
  for await (const passage of passagesInSlices(document)) {
    const text = textToEmbed(passage);
    texts.set(keyOf(text), text);
  }
  return texts;
}
