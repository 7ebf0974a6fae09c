import type { Answer, Gathered } from '../../engine/provider.ts';
import type { DocumentText } from '../../engine/knowledge/split-document.ts';

/** The documents of one agent in one state; `edition` changes when a document is added or removed. */
export type DocumentsOf = { orgId: string; agentId: string; edition: string; bytes: number };

/** For a person who is quoted to, or for a model that reads up to `tokens`. */
export type Question =
  | { reader: 'person'; text: string }
  | { reader: 'model'; text: string; earlier: string; tokens: number };

export type Ask = DocumentsOf & { kind: 'ask'; job: number; question: Question };

/** Messages from the main thread to the knowledge thread. */
export type ToThread =
  | Ask
  /** The requested document; null when there are no more. */
  | { kind: 'document'; job: number; document: DocumentText | null }
  | { kind: 'unreadable'; job: number };

export type FromThread =
  | { kind: 'found'; job: number; found: Answer | Gathered }
  | { kind: 'failed'; job: number; why: string }
  /** Requests, for the agent of this job, its first document with an id after `after`. */
  | { kind: 'want'; job: number; after: string | null };

/** Memory that both threads share: the current job (0: none), and how many slices of work there were. */
export const UNDER_WAY = 0;
export const SLICES = 1;
export type ThreadData = { beacon: Int32Array };
