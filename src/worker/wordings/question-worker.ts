import type { ConnectionDeps } from '../../answering/models/call-connection.ts';
import { callQuestions } from '../../answering/models/call-questions.ts';
import { passageKey } from '../../engine/knowledge/question-key.ts';
import type { Passage } from '../../engine/provider.ts';
import {
  type QuestionConnection,
  QUESTIONS,
  readQuestionConnection,
  readWrittenPassages,
  reuseQuestions,
  writeQuestions,
} from '../../store/written-questions.ts';
import {
  createDocumentWorker,
  type DocumentWork,
  type DocumentWorkerDeps,
  passagesInSlices,
} from '../document-work.ts';
import type { PagedLoop } from '../paged-loop.ts';

/** The number of passages in one call. A model rarely cuts off a small answer. */
const BATCH = 5;
const BATCHES_A_TURN = 4;
/** Each passage costs a part of a call, so a very long document gets questions for its first passages only. */
const MAX_PASSAGES = 500;
/** A shorter passage has hardly more words than its questions. */
const LEAST_CHARACTERS = 20;

/**
 * Requests questions for the passages of documents from a connected model. The search uses the words of the questions,
 * so an agent without a model finds a passage that people name in other words. An unchanged passage is never sent to
 * the model twice.
 */
export const createQuestionWorker = (deps: ConnectionDeps & DocumentWorkerDeps): PagedLoop =>
  createDocumentWorker(questions(deps), deps);

const questions = (deps: ConnectionDeps): DocumentWork<QuestionConnection, Passage> => ({
  rows: 'questions',
  queue: QUESTIONS,
  capacity: 1,
  readConnection: readQuestionConnection,

  /** Returns the first passages of a document. */
  async partsOf(document) {
    const found = new Map<string, Passage>();
    for await (const passage of passagesInSlices(document)) {
      if (found.size === MAX_PASSAGES) break;
      if (passage.text.length >= LEAST_CHARACTERS) found.set(passageKey(passage), passage);
    }
    return found;
  },

  readKnown: readWrittenPassages,
  reuse: reuseQuestions,
  batches: () => ({ size: BATCH, count: BATCHES_A_TURN }),

  async call(parts, { claimed, connection, stopping }) {
    const passages = parts.map(([, { document, heading, text }]) => ({ document, heading, text }));
    const written = await callQuestions(deps, connection, claimed.agent_id, passages, stopping);
    const rows = parts.map(([hash], at) => ({ hash, questions: written[at]! }));
    return (tx) => writeQuestions(tx, claimed, rows);
  },
});
