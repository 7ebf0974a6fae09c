import type { Logger } from 'pino';
import { passagesOf } from '../engine/knowledge/split-document.ts';
import { type Passage, ProviderError } from '../engine/provider.ts';
import type { Db, Queryable } from '../store/db.ts';
import { readDocument } from '../store/documents.ts';
import { showVectors } from '../store/embeddings/read.ts';
import type { ClaimedDocument, DocumentQueue } from '../store/queue/document-queue.ts';
import { LEASE_SECONDS } from '../store/queue/lease-seconds.ts';
import type { WhenDue } from './look-loop.ts';
import { createPagedLoop, type PagedLoop } from './paged-loop.ts';

/**
 * Sends the parts of documents to a model in the background, in batches under a lease. A batch is stored before the
 * next batch is requested. Another worker can continue the document of a killed worker, and only the interrupted batch
 * is paid for twice. The worker first counts every document, so that the total is known. After all documents are
 * counted, they take turns.
 */
export type DocumentWork<Connection, Part> = {
  /** The name of the rows in log lines. */
  rows: string;
  queue: DocumentQueue;
  /** The worker has at most this many documents in progress. */
  capacity: number;
  /** Null: the organization does not use this work. */
  readConnection(db: Db, orgId: string): Promise<Connection | null>;
  /** Returns the parts of the document that need a result, by their keys. */
  partsOf(document: TextDocument, connection: Connection): Promise<Map<string, Part>>;
  /** Returns the keys of the parts that have a result. */
  readKnown(tx: Queryable, claimed: ClaimedDocument, connection: Connection): Promise<Set<string>>;
  /** Copies the results of equal parts from other documents. */
  reuse(tx: Queryable, claimed: ClaimedDocument, keys: readonly string[], connection: Connection): Promise<void>;
  /**
   * The number of parts in one call, and the number of calls before other documents and organizations have their turn.
   */
  batches(connection: Connection): { size: number; count: number };
  /** Calls the model and returns a function that stores its results. Null: the connection has changed. */
  call(parts: readonly (readonly [key: string, part: Part])[], job: Job<Connection>): Promise<Store | null>;
};

type TextDocument = { id: string; name: string; text: string };
type Store = (tx: Queryable) => Promise<void>;
export type Job<Connection> = { claimed: ClaimedDocument; connection: Connection; stopping: AbortSignal };

export type DocumentWorkerDeps = { db: Db; log: Logger; pollMs?: number; whenDue?: WhenDue };

const POLL_MS = 2_000;

const MAX_ATTEMPTS = 8;
const BUDGET_SECONDS = 600;
const BUSY_SECONDS = 5;
const RETRY_SECONDS = 15;
/** Each failure in a row doubles the pause, up to this maximum, because each attempt may cost money. */
const MAX_RETRY_SECONDS = 600;
/** Each refresh makes the next turn read the agent's knowledge again. */
const SHOW_EVERY_MS = 60_000;
/** The event loop may be busy for this long between two pauses. */
const SLICE_MS = 5;

/** Yields the passages of a document in slices, because a document may have a megabyte. */
export async function* passagesInSlices(document: Parameters<typeof passagesOf>[0]): AsyncGenerator<Passage> {
  let since = performance.now();
  for (const passage of passagesOf(document)) {
    if (passage !== null) yield passage;
    if (performance.now() - since > SLICE_MS) {
      await new Promise((resolve) => setImmediate(resolve));
      since = performance.now();
    }
  }
}

export function createDocumentWorker<Connection, Part>(
  work: DocumentWork<Connection, Part>,
  { db, log, pollMs = POLL_MS, whenDue }: DocumentWorkerDeps,
): PagedLoop {
  const { rows, queue, capacity } = work;
  const show = createShow(db, queue);
  return createPagedLoop({
    rows,
    log,
    pollMs,
    whenDue,
    leaseSeconds: LEASE_SECONDS[queue.table],
    capacity,
    claim: (lease) => queue.claimDocument(db, lease),
    work: async (claimed, stopping) => {
      const connection = await work.readConnection(db, claimed.org_id);
      const isFinished = connection
        ? await finish(db, work, { claimed, connection, stopping })
        : await drop(db, work, claimed);
      if (isFinished) await show(claimed);
    },
    fail: (claimed, error, stopping) => postpone(queue, { db, log }, claimed, error, stopping),
    ids: ({ document_id: document }) => ({ document }),
  });
}

/**
 * Deletes the results and the entry in the queue, because the work is turned off. Returns true if the queue had an
 * entry.
 */
const drop = (db: Db, { queue }: { queue: DocumentQueue }, claimed: ClaimedDocument): Promise<boolean> =>
  db.transaction(async (tx) => {
    if (!(await queue.holdDocument(tx, claimed))) return false;
    await queue.dropOtherResults(tx, claimed, []);
    return queue.dropDocument(tx, claimed);
  });

/** Returns true if the document is finished, or false if other documents are processed first. */
async function finish<Connection, Part>(
  db: Db,
  work: DocumentWork<Connection, Part>,
  job: Job<Connection>,
): Promise<boolean> {
  const { queue } = work;
  const { claimed, connection, stopping } = job;
  const document = await readDocument(db, claimed.org_id, claimed.agent_id, claimed.document_id);
  if (!document) return false;
  const parts = await work.partsOf(document, connection);
  const keys = [...parts.keys()];
  const known = await readKnown(db, work, job, keys);
  const missing = [...parts].filter(([key]) => !known.has(key));
  const leave = async (): Promise<false> => {
    await queue.releaseDocument(db, claimed, { passages: keys.length, done: keys.length - missing.length });
    return false;
  };
  if (missing.length > 0 && claimed.passages === null) return leave();
  const { size, count } = work.batches(connection);
  for (let batch = 0; missing.length > 0; batch++) {
    if (batch === count || stopping.aborted) return leave();
    const store = await work.call(missing.slice(0, size), job);
    if (store === null) {
      await queue.releaseDocument(db, claimed, null);
      return false;
    }
    if (!(await underLease(db, queue, claimed, store))) return false;
    missing.splice(0, size);
  }
  return db.transaction(async (tx) => {
    if (!(await queue.holdDocument(tx, claimed))) return false;
    await queue.dropOtherResults(tx, claimed, keys);
    return queue.finishDocument(tx, claimed, keys.length);
  });
}

/** Returns false if the document belongs to another worker. */
const underLease = (db: Db, queue: DocumentQueue, claimed: ClaimedDocument, store: Store): Promise<boolean> =>
  db.transaction(async (tx) => {
    if (!(await queue.holdDocument(tx, claimed))) return false;
    await store(tx);
    return true;
  });

/**
 * Returns the keys of parts that have a result, including results from another document. The value is empty if the
 * lease is lost.
 */
async function readKnown<Connection, Part>(
  db: Db,
  work: DocumentWork<Connection, Part>,
  { claimed, connection }: Job<Connection>,
  keys: readonly string[],
): Promise<Set<string>> {
  let known = new Set<string>();
  await underLease(db, work.queue, claimed, async (tx) => {
    known = await work.readKnown(tx, claimed, connection);
    const missing = keys.filter((key) => !known.has(key));
    await work.reuse(tx, claimed, missing, connection);
    known = await work.readKnown(tx, claimed, connection);
  });
  return known;
}

/** Makes the new results visible to the agent's turns, at the end and from time to time before. */
function createShow(db: Db, queue: DocumentQueue): (claimed: ClaimedDocument) => Promise<void> {
  const shown = new Map<string, number>();
  return async ({ org_id: orgId, agent_id: agentId }) => {
    const name = `${orgId} ${agentId}`;
    const isRecent = performance.now() - (shown.get(name) ?? -Infinity) < SHOW_EVERY_MS;
    if (isRecent && (await queue.hasWaiting(db, orgId, agentId))) return;
    if (shown.size >= 1_000) shown.clear();
    shown.set(name, performance.now());
    await showVectors(db, orgId, agentId);
  };
}

async function postpone(
  queue: DocumentQueue,
  { db, log }: { db: Db; log: Pick<Logger, 'warn'> },
  claimed: ClaimedDocument,
  error: unknown,
  stopping: AbortSignal,
): Promise<void> {
  if (!(error instanceof ProviderError)) {
    if (stopping.aborted) return queue.releaseDocument(db, claimed, null);
    log.warn({ err: error, document: claimed.document_id }, 'the work on a document was interrupted');
    const fault = { code: 'interrupted', detail: 'It was interrupted and is tried again.' };
    return queue.postponeDocument(db, claimed, { fault, inSeconds: retrySeconds(claimed) });
  }
  const { code, message: detail, retryAfterMs, waits } = error;
  const fault = { code, detail };
  if (code === 'budget_busy')
    return queue.postponeDocument(db, claimed, { fault, inSeconds: BUSY_SECONDS, all: 'agent' });
  if (code === 'budget_spent')
    return queue.postponeDocument(db, claimed, { fault, inSeconds: BUDGET_SECONDS, all: 'agent' });
  // A wrong key or an unknown model fails for every document until a person changes the connection or retries.
  if (!error.retryable) return queue.postponeDocument(db, claimed, { fault, inSeconds: null, all: 'organization' });
  const pause = Math.max(waits ? RETRY_SECONDS : retrySeconds(claimed), (retryAfterMs ?? 0) / 1_000);
  const isLast = !waits && code === 'provider_garbled' && claimed.attempts + 1 >= MAX_ATTEMPTS;
  await queue.postponeDocument(db, claimed, { fault, inSeconds: isLast ? null : pause });
}

const retrySeconds = ({ attempts }: ClaimedDocument): number =>
  Math.min(MAX_RETRY_SECONDS, RETRY_SECONDS * 2 ** attempts);
