import type { Answer, Finding, Gathered } from '../../engine/provider.ts';
import type { EmbeddingSpace } from '../../engine/knowledge/vector-key.ts';
import type { DocumentText } from '../../engine/knowledge/split-document.ts';

/** The documents of one agent in one state. `edition` changes when a document is added or removed. */
export type DocumentsOf = { orgId: string; agentId: string; edition: string; bytes: number };

/**
 * The question and its reader: a person who reads quotes, a member who chooses a passage, or a model that reads up to
 * `tokens`. `onlyWhole`: the result has all passages, or none if they do not all fit.
 */
export type Question =
  | { reader: 'person'; text: string }
  | { reader: 'member'; text: string }
  | { reader: 'model'; text: string; earlier: string; tokens: number; meaning?: AskedMeaning; onlyWhole?: boolean };

/** The vector of the question, and the space of the vectors to which it may be compared. */
export type AskedMeaning = { vector: Int8Array; space: EmbeddingSpace; dimensions: number; edition: string };

export type Ask = DocumentsOf & { kind: 'ask'; job: number; question: Question };

/** Messages from the main thread to the knowledge thread. */
export type ToThread =
  | Ask
  /** The requested document. Null: the agent has no further document. */
  | { kind: 'document'; job: number; document: DocumentText | null }
  /** A piece of vectors with the keys of their passages. Null: the agent has no more vectors. */
  | { kind: 'vectors'; job: number; piece: VectorPiece | null }
  | { kind: 'unreadable'; job: number };

/**
 * The bytes of several entries follow each other without their lengths. The next piece of vectors begins after `last`.
 */
export type VectorPiece = { hashes: Uint8Array; vectors: Uint8Array; last: VectorPlace };
export type VectorPlace = { document: string; hash: string };

export type FromThread =
  | { kind: 'found'; job: number; found: Answer | Gathered | Finding[] }
  | { kind: 'failed'; job: number; why: string }
  /** Requests, for the agent of this job, the first document with an ID after `after`. */
  | { kind: 'want'; job: number; after: string | null }
  | { kind: 'want_vectors'; job: number; after: VectorPlace | null };

/** The memory that both threads share, with the current job (0: none) and the number of finished slices. */
export const UNDER_WAY = 0;
export const SLICES = 1;
export type ThreadData = { beacon: Int32Array };
