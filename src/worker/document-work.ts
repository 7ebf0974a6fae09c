import type { Logger } from 'pino';
import { passagesOf } from '../engine/knowledge/split-document.ts';
import { type Passage, ProviderError } from '../engine/provider.ts';
import type { Db } from '../store/db.ts';
import { showVectors } from '../store/embeddings/read.ts';
import type { ClaimedDocument, DocumentQueue } from '../store/queue/document-queue.ts';

/** The parts that all workers share whose model processes the passages of documents. */

const MAX_ATTEMPTS = 8;
const BUDGET_SECONDS = 600;
const BUSY_SECONDS = 5;
const RETRY_SECONDS = 15;
/** Each refresh makes the next turn read the agent's knowledge again. */
const SHOW_EVERY_MS = 60_000;
/** Work on the event loop between two pauses. */
const SLICE_MS = 5;

/** The passages of a document. They are processed in slices, because a document may have a megabyte. */
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

/** Makes the new results visible to the agent's turns: at the end, and from time to time before. */
export function createShow(db: Db, queue: DocumentQueue): (held: ClaimedDocument) => Promise<void> {
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

export async function settleFailure(
  queue: DocumentQueue,
  { db, log }: { db: Db; log: Pick<Logger, 'warn'> },
  held: ClaimedDocument,
  error: unknown,
  stopping: AbortSignal,
): Promise<void> {
  if (!(error instanceof ProviderError)) {
    if (stopping.aborted) return queue.releaseDocument(db, held, null);
    log.warn({ err: error, document: held.document_id }, 'the work on a document was interrupted');
    const fault = { code: 'interrupted', detail: 'It was interrupted and is tried again.' };
    return queue.postponeDocument(db, held, { fault, inSeconds: RETRY_SECONDS });
  }
  const { code, message: detail, retryAfterMs, waits } = error;
  const fault = { code, detail };
  if (code === 'budget_busy') return queue.postponeDocument(db, held, { fault, inSeconds: BUSY_SECONDS, all: 'agent' });
  if (code === 'budget_spent')
    return queue.postponeDocument(db, held, { fault, inSeconds: BUDGET_SECONDS, all: 'agent' });
  // A wrong key or an unknown model fails for every document until a person changes the connection or retries.
  if (!error.retryable) return queue.postponeDocument(db, held, { fault, inSeconds: null, all: 'organization' });
  const pause = Math.max(RETRY_SECONDS, (retryAfterMs ?? 0) / 1_000);
  const isLast = !waits && code === 'provider_garbled' && held.attempts + 1 >= MAX_ATTEMPTS;
  await queue.postponeDocument(db, held, { fault, inSeconds: isLast ? null : pause });
}
