import type { PersonField } from '../../../contract/channel-kinds.ts';
import type { RunInput, RunStatus } from '../../../contract/triggers.ts';
import type { Refusal } from '../../../contract/problems.ts';
import type { EndUserFields } from '../end-users/end-user-fields.ts';

/** One checked trigger call, ready to be written. */
export type AcceptCall = {
  orgId: string;
  /** Absent: the run gets a new ID. */
  runId?: string | undefined;
  /** The calling key, which the fence checks in the statement. Null: a member tests the trigger in the dashboard. */
  keyId: string | null;
  /** The network address of the key's caller. The fence checks the address together with the key. */
  from: string | null;
  agentId: string;
  triggerId: string;
  channelId: string;
  channelKind: string;
  address: string | null;
  /** The field of `endUser` that contained `address`. Null: the caller sent the address itself. */
  addressFrom: PersonField | null;
  endUser: EndUserFields | null;
  /** True: the key may not change people, so only empty fields of the person get values. */
  fillsOnly: boolean;
  conversation: { key: string; onExisting: 'continue' | 'new' | 'reject' } | { id: string } | null;
  /** The mark of the client token that calls. A conversation that the call starts belongs to this mark. */
  clientMark?: string | null;
  message: string | null;
  /**
   * The kind of channel on which the message opts the person out, if the team answers the conversation. No turn reads
   * such a message. Null: the message is no opt-out.
   */
  optsOutOf: string | null;
  input: RunInput;
  sendAt: Date | null;
  requestId: string;
  idempotency: { scope: Buffer; request: Buffer } | null;
  /** Creates the response that is stored together with the effect. */
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
  /** The part of the call's data about the person that was not stored. */
  unchanged: readonly string[];
};

export type StoredAnswer = { status: number; location: string | null; body: string };

export type AcceptOutcome =
  | { kind: 'accepted'; run: NewRun; answer: StoredAnswer }
  | { kind: 'replayed'; answer: StoredAnswer }
  | { kind: 'refused'; refusal: Refusal };
