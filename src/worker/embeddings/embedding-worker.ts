import type { Logger } from 'pino';
import { batchOf } from '../../engine/knowledge/embedding-batch.ts';
import { passagesOf } from '../../engine/knowledge/split-document.ts';
import { textToEmbed, vectorKeys } from '../../engine/knowledge/vector-key.ts';
import { ProviderError } from '../../engine/provider.ts';
import type { Db } from '../../store/db.ts';
import { readDocument } from '../../store/documents.ts';
import {
  type ClaimedDocument,
  claimDocument,
  dropDocument,
  finishDocument,
  holdDocument,
  postponeDocument,
  releaseDocument,
} from '../../store/embeddings/queue.ts';
import {
  type EmbeddingConnection,
  hasWaiting,
  readEmbeddingConnection,
  recordDimensions,
  showVectors,
} from '../../store/embeddings/read.ts';
import { dropOtherVectors, readKnownHashes, reuseVectors, writeVectors } from '../../store/embeddings/vectors.ts';
import { LEASE_SECONDS } from '../../store/queue/lease-seconds.ts';
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
const MAX_ATTEMPTS = 8;
const BUDGET_SECONDS = 600;
const BUSY_SECONDS = 5;
const RETRY_SECONDS = 15;
/** Each refresh makes the next turn read the agent's vectors again. */
const SHOW_EVERY_MS = 60_000;
/** Work on the event loop between two pauses. */
const SLICE_MS = 5;

export const createEmbeddingWorker = (deps: EmbeddingWorkerDeps): PagedLoop => {
  const { db, log, pollMs = POLL_MS } = deps;
  const show = createShow(db);
  return createPagedLoop({
    rows: 'embeddings',
    log,
    pollMs,
    leaseSeconds: LEASE_SECONDS.document_embedding,
    capacity: CAPACITY,
    claim: (lease) => claimDocument(db, lease),
    work: async (held, stopping) => {
      const connection = await readEmbeddingConnection(db, held.org_id);
      if (!connection) await forget(db, held);
      else if (await embed({ deps, held, connection, stopping })) await show(held);
    },
    fail: (held, error, stopping) => settleFailure(deps, held, error, stopping),
    ids: ({ document_id: document }) => ({ document }),
  });
};

/** Makes the new vectors visible to the agent's turns: at the end, and from time to time before. */
function createShow(db: Db): (held: ClaimedDocument) => Promise<void> {
  const shown = new Map<string, number>();
  return async ({ org_id: orgId, agent_id: agentId }) => {
    const name = `${orgId} ${agentId}`;
    const isRecent = performance.now() - (shown.get(name) ?? -Infinity) < SHOW_EVERY_MS;
    if (isRecent && (await hasWaiting(db, orgId, agentId))) return;
    if (shown.size >= 1_000) shown.clear();
    shown.set(name, performance.now());
    await showVectors(db, orgId, agentId);
  };
}

/** Embeddings are off, so the document is removed from the queue. */
async function forget(db: Db, held: ClaimedDocument): Promise<void> {
  await db.transaction(async (tx) => {
    if (!(await holdDocument(tx, held))) return;
    await dropOtherVectors(tx, held, []);
    await dropDocument(tx, held);
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
  const progress = () => ({ passages: keys.length, embedded: keys.length - missing.length });
  const leave = async (): Promise<false> => {
    await releaseDocument(db, held, progress());
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
    if (!(await holdDocument(tx, held))) return false;
    await dropOtherVectors(tx, held, keys);
    return finishDocument(tx, held, progress());
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
    if (!(await holdDocument(tx, held))) return new Set<string>();
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
    await releaseDocument(db, held, null);
    return false;
  }
  const rows = keys.map((key, at) => {
    const { buffer, byteOffset, byteLength } = vectors[at]!;
    return { hash: Buffer.from(key, 'hex'), vector: Buffer.from(buffer, byteOffset, byteLength) };
  });
  return db.transaction(async (tx) => {
    if (!(await holdDocument(tx, held))) return false;
    await writeVectors(tx, held, rows);
    return true;
  });
}

async function settleFailure(
  { db, log }: EmbeddingWorkerDeps,
  held: ClaimedDocument,
  error: unknown,
  stopping: AbortSignal,
): Promise<void> {
  if (!(error instanceof ProviderError)) {
    if (stopping.aborted) return releaseDocument(db, held, null);
    log.warn({ err: error, document: held.document_id }, 'embedding a document was interrupted');
    const fault = { code: 'interrupted', detail: 'It was interrupted and is tried again.' };
    return postponeDocument(db, held, { fault, inSeconds: RETRY_SECONDS });
  }
  const { code, message: detail, retryAfterMs, waits } = error;
  const fault = { code, detail };
  if (code === 'budget_busy') return postponeDocument(db, held, { fault, inSeconds: BUSY_SECONDS, all: 'agent' });
  if (code === 'budget_spent') return postponeDocument(db, held, { fault, inSeconds: BUDGET_SECONDS, all: 'agent' });
  // A wrong key or an unknown model fails for every document until a person changes the connection or retries.
  if (!error.retryable) return postponeDocument(db, held, { fault, inSeconds: null, all: 'organization' });
  const pause = Math.max(RETRY_SECONDS, (retryAfterMs ?? 0) / 1_000);
  const isLast = !waits && code === 'provider_garbled' && held.attempts + 1 >= MAX_ATTEMPTS;
  await postponeDocument(db, held, { fault, inSeconds: isLast ? null : pause });
}

/**
 * The distinct texts of a document by their keys. They are computed in slices, because a document may have a megabyte.
 */
async function textsOf(
  document: { id: string; name: string; text: string },
  { provider, baseUrl, embeddingModel: model }: EmbeddingConnection,
): Promise<Map<string, string>> {
  const keyOf = vectorKeys({ provider, baseUrl, model });
  const texts = new Map<string, string>();
  let since = performance.now();
  for (const passage of passagesOf(document)) {
    if (passage !== null) {
      const text = textToEmbed(passage);
      texts.set(keyOf(text), text);
    }
    if (performance.now() - since > SLICE_MS) {
      await new Promise((resolve) => setImmediate(resolve));
      since = performance.now();
    }
  }
  return texts;
}
