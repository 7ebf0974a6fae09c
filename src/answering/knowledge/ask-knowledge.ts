import type { Worker } from 'node:worker_threads';
import type { DocumentText } from '../../engine/knowledge/split-document.ts';
import {
  type Answer,
  type Finding,
  type Gathered,
  type KnowledgeSearch,
  ProviderError,
} from '../../engine/provider.ts';
import type { Logger } from '../../kernel/log.ts';
import { createKnowledgeThread } from './knowledge-thread.ts';
import {
  type Ask,
  type AskedMeaning,
  type DocumentsOf,
  type FromThread,
  type Question,
  type ThreadData,
  type ToThread,
  type VectorPiece,
  type VectorPlace,
} from './messages.ts';

/**
 * A separate thread (docs/adr/0204-knowledge-in-a-thread.md), which starts with the first question, builds and searches
 * knowledge. The thread requests one document after another, so the main thread has at most one in memory. The process
 * replaces a thread that ends or hangs. The question of the current agent fails, and the agent's documents are not
 * tried again for a while. After a crash of the thread, all other questions are retried.
 */
export type Knowledge = {
  of(documents: DocumentsOf): ThreadSearch;
  stop(): Promise<void>;
};

/**
 * Either the question has a vector, with the vectors to which it is compared, or the result must contain all passages
 * or none of them.
 */
type How = { meaning: AskedMeaning } | { onlyWhole: true };
export type ThreadSearch = Pick<KnowledgeSearch, 'answer' | 'rank'> & {
  gather(question: string, earlier: string, tokens: number, asker?: unknown, how?: How): Promise<Gathered>;
};

export type ReadVectors = (
  orgId: string,
  agentId: string,
  dimensions: number,
  after: VectorPlace | null,
) => Promise<VectorPiece | null>;

export type ReadDocument = (orgId: string, agentId: string, after: string | null) => Promise<DocumentText | null>;

export type KnowledgeOptions = {
  log: Logger;
  /** The agent's first document with an id after `after`. */
  readDocument: ReadDocument;
  /** Reads the agent's vectors after a given place. */
  readVectors?: ReadVectors;
  startThread?: (data: ThreadData) => Worker;
  stuckMs?: number;
};

type Found = Answer | Gathered | Finding[];
type Pending = { ask: Ask; resolve(found: Found): void; reject(error: Error): void; threads: number };

/** Maximum number of waiting questions. The limit exceeds the 400 turns that a worker has in progress. */
const MAX_PENDING = 1_000;
/** After this number of crashes of the thread, a question fails. */
const MAX_THREADS = 3;
/** A slice of work takes milliseconds. A slice that takes this long is assumed never to end. */
const STUCK_MS = 15_000;
/** For five minutes, the thread does not get documents that ended a thread. */
const PAUSE_MS = 5 * 60_000;
const MAX_PAUSED = 1_000;

export function createKnowledge({
  log,
  readDocument,
  readVectors = async () => null,
  startThread,
  stuckMs = STUCK_MS,
}: KnowledgeOptions): Knowledge {
  const pending = new Map<number, Pending>();
  const pausedUntil = new Map<string, number>();
  const thread = createKnowledgeThread({ log, startThread, stuckMs, onMessage: onMessage, onLost: retry });
  let lastJob = 0;
  let stopped = false;

  function ask<Wanted extends Found>(documents: DocumentsOf, question: Question): Promise<Wanted> {
    const job = (lastJob = (lastJob % MAX_JOB) + 1);
    const isPaused = (pausedUntil.get(editionOf(documents)) ?? 0) > performance.now();
    if (isPaused) return Promise.reject(failed('The search of the documents failed recently.'));
    if (stopped || pending.size >= MAX_PENDING) return Promise.reject(failed('Too many questions are waiting.'));
    return new Promise((resolve, reject) => {
      const one: Pending = {
        ask: { ...documents, kind: 'ask', job, question },
        // The type of the response depends on the type of the question.
        resolve: (found) => resolve(found as Wanted),
        reject,
        threads: 0,
      };
      pending.set(job, one);
      send(one);
    });
  }

  function send(one: Pending): void {
    one.threads++;
    thread.post(one.ask);
  }

  function onMessage(message: FromThread, reply: (answer: ToThread) => void): void {
    const one = pending.get(message.job);
    if (!one) return;
    if (message.kind === 'want') return void documentFor(one.ask, message.after, readDocument, log).then(reply);
    if (message.kind === 'want_vectors')
      return void vectorsFor(one.ask, message.after, readVectors, log).then((answer) => answer && reply(answer));
    pending.delete(message.job);
    if (message.kind === 'found') one.resolve(message.found);
    else one.reject(failed(`The documents could not be searched. ${message.why}`));
  }

  /**
   * Retries the open questions after the thread has ended. `underWay`: the job on which the ended thread was working.
   */
  function retry(underWay: number): void {
    const current = pending.get(underWay)?.ask;
    if (pending.size > 0)
      log.error({ org_id: current?.orgId, agent_id: current?.agentId }, 'the thread of the knowledge is replaced');
    if (current) pause(editionOf(current));
    for (const [job, one] of pending) {
      const isSameEdition = current !== undefined && editionOf(one.ask) === editionOf(current);
      if (!stopped && !isSameEdition && one.threads < MAX_THREADS) send(one);
      else {
        pending.delete(job);
        one.reject(failed(isSameEdition ? 'The documents are too large to search.' : 'The search was stopped.'));
      }
    }
  }

  function pause(edition: string): void {
    if (pausedUntil.size >= MAX_PAUSED) pausedUntil.clear();
    pausedUntil.set(edition, performance.now() + PAUSE_MS);
  }

  return {
    of: (documents) => ({
      answer: (text) => ask<Answer>(documents, { reader: 'person', text }),
      rank: (text) => ask<Finding[]>(documents, { reader: 'member', text }),
      gather: (text, earlier, tokens, _asker, how) =>
        ask<Gathered>(documents, { reader: 'model', text, earlier, tokens, ...how }),
    }),
    stop: async () => {
      stopped = true;
      await thread.end();
    },
  };
}

const documentFor = (
  { job, orgId, agentId }: Ask,
  after: string | null,
  read: ReadDocument,
  log: Logger,
): Promise<ToThread> =>
  read(orgId, agentId, after).then(
    (document) => ({ kind: 'document', job, document }),
    (error: unknown) => {
      log.warn({ err: error }, 'a document cannot be read');
      return { kind: 'unreadable', job };
    },
  );

async function vectorsFor(
  { job, orgId, agentId, question }: Ask,
  after: VectorPlace | null,
  read: ReadVectors,
  log: Logger,
): Promise<ToThread | null> {
  if (question.reader !== 'model' || !question.meaning) return null;
  return read(orgId, agentId, question.meaning.dimensions, after).then(
    (piece) => ({ kind: 'vectors', job, piece: piece && copyOf(piece) }),
    (error: unknown) => {
      log.warn({ err: error }, 'vectors of passages cannot be read');
      return { kind: 'unreadable', job };
    },
  );
}

/** A message with a view of a larger buffer would send the whole buffer. */
const copyOf = (piece: VectorPiece): VectorPiece => ({
  ...piece,
  hashes: new Uint8Array(piece.hashes),
  vectors: new Uint8Array(piece.vectors),
});

const MAX_JOB = 2 ** 31 - 1;
const editionOf = ({ orgId, agentId, edition }: DocumentsOf): string => `${orgId} ${agentId} ${edition}`;

const failed = (why: string): ProviderError => new ProviderError('knowledge_failed', why, { retryable: true });
