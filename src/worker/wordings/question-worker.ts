import type { Logger } from 'pino';
import { callQuestions } from '../../answering/models/call-questions.ts';
import type { ConnectionDeps } from '../../answering/models/call-connection.ts';
import { passageKey } from '../../engine/knowledge/question-key.ts';
import type { Passage } from '../../engine/provider.ts';
import type { Db } from '../../store/db.ts';
import { readDocument } from '../../store/documents.ts';
import type { ClaimedDocument } from '../../store/queue/document-queue.ts';
import { LEASE_SECONDS } from '../../store/queue/lease-seconds.ts';
import {
  dropOtherQuestions,
  type QuestionConnection,
  QUESTIONS,
  readQuestionConnection,
  readWrittenPassages,
  reuseQuestions,
  writeQuestions,
} from '../../store/written-questions.ts';
import { createShow, passagesInSlices, settleFailure } from '../document-work.ts';
import { createPagedLoop, type PagedLoop } from '../paged-loop.ts';

/**
 * Lets a connected model write questions for the passages of documents, in the background and under a lease. The
 * search uses their words, so an agent without a model finds a passage that people name in other words. It works as the
 * embedding worker: a batch is stored before the next one is requested, and an unchanged passage is never asked twice.
 */
export type QuestionWorkerDeps = ConnectionDeps & { log: Logger; pollMs?: number };

const CAPACITY = 1;
const POLL_MS = 2_000;
/** Passages in one call. A small answer is rarely cut off. */
const BATCH = 5;
/** After this many batches, other documents and other organizations have their turn. */
const BATCHES_A_TURN = 4;
/** Each passage costs a part of a call, so a very long document gets questions for its first passages only. */
const MAX_PASSAGES = 500;
/** A shorter passage has hardly more words than its questions. */
const LEAST_CHARACTERS = 20;

export const createQuestionWorker = (deps: QuestionWorkerDeps): PagedLoop => {
  const { db, log, pollMs = POLL_MS } = deps;
  const show = createShow(db, QUESTIONS);
  return createPagedLoop({
    rows: 'questions',
    log,
    pollMs,
    leaseSeconds: LEASE_SECONDS.document_question,
    capacity: CAPACITY,
    claim: (lease) => QUESTIONS.claimDocument(db, lease),
    work: async (held, stopping) => {
      const connection = await readQuestionConnection(db, held.org_id);
      const done = connection ? await write({ deps, held, connection, stopping }) : await forget(db, held);
      if (done) await show(held);
    },
    fail: (held, error, stopping) => settleFailure(QUESTIONS, deps, held, error, stopping),
    ids: ({ document_id: document }) => ({ document }),
  });
};

/** The writing of questions is off, so the questions are deleted. Returns true if there were any. */
const forget = (db: Db, held: ClaimedDocument): Promise<boolean> =>
  db.transaction(async (tx) => {
    if (!(await QUESTIONS.holdDocument(tx, held))) return false;
    await dropOtherQuestions(tx, held, []);
    return QUESTIONS.dropDocument(tx, held);
  });

type Job = {
  deps: QuestionWorkerDeps;
  held: ClaimedDocument;
  connection: QuestionConnection;
  stopping: AbortSignal;
};

/** Returns true if the document is finished, or false if others have their turn first. */
async function write(job: Job): Promise<boolean> {
  const { held, stopping } = job;
  const { db } = job.deps;
  const document = await readDocument(db, held.org_id, held.agent_id, held.document_id);
  if (!document) return false;
  const passages = await passagesByKey(document);
  const keys = [...passages.keys()];
  const known = await readKnown(db, held, keys);
  const missing = keys.filter((key) => !known.has(key));
  const leave = async (): Promise<false> => {
    await QUESTIONS.releaseDocument(db, held, { passages: keys.length, done: keys.length - missing.length });
    return false;
  };
  if (missing.length > 0 && held.passages === null) return leave();
  for (let batch = 0; missing.length > 0; batch++) {
    if (batch === BATCHES_A_TURN || stopping.aborted) return leave();
    const some = missing.slice(0, BATCH);
    if (!(await writeBatch(job, some, passages))) return false;
    missing.splice(0, some.length);
  }
  return db.transaction(async (tx) => {
    if (!(await QUESTIONS.holdDocument(tx, held))) return false;
    await dropOtherQuestions(tx, held, keys);
    return QUESTIONS.finishDocument(tx, held, { passages: keys.length, done: keys.length });
  });
}

/** The passages that already have questions, including those from another document. None if the lease is lost. */
const readKnown = (db: Db, held: ClaimedDocument, keys: readonly string[]): Promise<Set<string>> =>
  db.transaction(async (tx) => {
    if (!(await QUESTIONS.holdDocument(tx, held))) return new Set<string>();
    const known = await readWrittenPassages(tx, held);
    await reuseQuestions(
      tx,
      held,
      keys.filter((key) => !known.has(key)),
    );
    return readWrittenPassages(tx, held);
  });

/** Returns false if the document belongs to another worker now. */
async function writeBatch(
  { deps, held, connection, stopping }: Job,
  keys: readonly string[],
  passages: ReadonlyMap<string, Passage>,
): Promise<boolean> {
  const asked = keys.map((key) => {
    const { document, heading, text } = passages.get(key)!;
    return { document, heading, text };
  });
  const written = await callQuestions(deps, connection, held.agent_id, asked, stopping);
  const rows = keys.map((hash, at) => ({ hash, questions: written[at]! }));
  return deps.db.transaction(async (tx) => {
    if (!(await QUESTIONS.holdDocument(tx, held))) return false;
    await writeQuestions(tx, held, rows);
    return true;
  });
}

/** The first passages of a document by their keys. */
async function passagesByKey(document: { id: string; name: string; text: string }): Promise<Map<string, Passage>> {
  const found = new Map<string, Passage>();
  for await (const passage of passagesInSlices(document)) {
    if (found.size === MAX_PASSAGES) break;
    if (passage.text.length >= LEAST_CHARACTERS) found.set(passageKey(passage), passage);
  }
  return found;
}
