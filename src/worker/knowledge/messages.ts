import type { Finding } from '../../engine/provider.ts';
import type { DocumentText } from '../../engine/knowledge/split-document.ts';

/** The documents of one agent in one state; `edition` is another one as soon as a document comes or goes. */
export type DocumentsOf = { orgId: string; agentId: string; edition: string; bytes: number };

export type Ask = DocumentsOf & { kind: 'ask'; job: number; question: string; limit: number };

/** What the main thread says to the thread of the knowledge. */
export type ToThread =
  | Ask
  /** The document that was wanted; null when there is no further one. */
  | { kind: 'document'; job: number; document: DocumentText | null }
  | { kind: 'unreadable'; job: number };

export type FromThread =
  | { kind: 'found'; job: number; findings: Finding[] }
  | { kind: 'failed'; job: number; why: string }
  /** The agent of this job: its first document whose id comes after `after`. */
  | { kind: 'want'; job: number; after: string | null };

/** Shared memory of both: the job that is being worked on (0: none), and how many slices of work there were. */
export const UNDER_WAY = 0;
export const SLICES = 1;
export type ThreadData = { beacon: Int32Array };
