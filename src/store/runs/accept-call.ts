import type { RunInput, RunStatus } from '../../../contract/triggers.ts';
import type { Refusal } from '../../../contract/problems.ts';

/** What a caller said about a person; absent members leave what is stored unchanged, null removes it. */
export type EndUserFields = {
  id?: string;
  external_id?: string | null;
  name?: string | null;
  phone?: string | null;
  email?: string | null;
  locale?: string | null;
  time_zone?: string | null;
  /** Merged into what is stored; a null value removes the attribute. */
  attributes?: Record<string, unknown>;
  /** All tags, in place of the stored ones. */
  tags?: string[];
  blocked?: boolean;
  /** A file said it, which holds text alone: an attribute that reads the same is the same, and so are tags. */
  from_file?: true;
};

/** One checked trigger call, ready to be written. */
export type AcceptCall = {
  orgId: string;
  /** The calling key, fenced in the statement; null for a test from the dashboard. */
  keyId: string | null;
  /** The network address that the key calls from, fenced with it. */
  from: string | null;
  agentId: string;
  triggerId: string;
  channelId: string;
  address: string | null;
  /** The field of `endUser` that `address` was taken from; null: the caller named the address itself. */
  addressFrom: 'email' | 'phone' | null;
  endUser: EndUserFields | null;
  /** The key may not change people: what is stored about them stays. */
  fillsOnly: boolean;
  conversation: { key: string; onExisting: 'continue' | 'new' | 'reject' } | null;
  message: string | null;
  input: RunInput;
  sendAt: Date | null;
  requestId: string;
  idempotency: { scope: Buffer; request: Buffer } | null;
  /** Makes the answer that is stored with the effect. */
  answer(run: NewRun): StoredAnswer;
};

export type NewRun = {
  id: string;
  status: RunStatus;
  agentId: string;
  triggerId: string;
  conversationId: string;
  endUserId: string;
  channelId: string;
  createdAt: Date;
  /** What the call said about the person that was left as it was. */
  unchanged: readonly string[];
};

export type StoredAnswer = { status: number; location: string | null; body: string };

export type AcceptOutcome =
  | { kind: 'accepted'; run: NewRun; answer: StoredAnswer }
  | { kind: 'replayed'; answer: StoredAnswer }
  | { kind: 'refused'; refusal: Refusal };
