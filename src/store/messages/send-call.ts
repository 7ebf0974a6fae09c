import type { DeliveryStatus } from '../../../contract/channels.ts';
import type { MessageContent } from '../../../contract/messages.ts';
import type { Refusal } from '../../../contract/problems.ts';
import type { StoredAnswer } from '../runs/accept-call.ts';
import type { EndUserFields } from '../end-users/end-user-fields.ts';

/** The requirements of a kind of channel for a recipient. The check of a channel's rules does not need the database. */
export type ChannelRules = {
  kind: string;
  /** True: storing a message already delivers it. */
  byStoring: boolean;
  needsAddress: boolean;
  replyWindowHours: number | null;
  addressOf(endUser: { external_id: string | null; email: string | null; phone: string | null }): string | null;
};

/** The recipient of a message, which is exactly one of three forms. */
export type Target =
  | { endUser: EndUserFields }
  /** `person`: the person to use or create if no person has the address yet. */
  | { address: string; person: EndUserFields | null }
  | { conversationId: string };

/** One checked channel send, ready to be written. */
export type SendCall = {
  orgId: string;
  /** The calling key, which the fence checks in the statement. Null: a member sends from the dashboard. */
  keyId: string | null;
  /** The network address of the key's caller. The fence checks the address together with the key. */
  from: string | null;
  agentId: string;
  channelId: string;
  rules: ChannelRules;
  to: Target;
  /** True: the key may not change people, so only empty fields of the person get values. */
  fillsOnly: boolean;
  content: MessageContent;
  replyTo: string | null;
  metadata: Record<string, string> | null;
  sendAt: Date | null;
  idempotency: { scope: Buffer; request: Buffer } | null;
  /** Creates the response that is stored together with the effect. */
  answer(message: NewMessage): StoredAnswer;
};

export type NewMessage = {
  id: string;
  status: DeliveryStatus;
  conversationId: string;
  endUserId: string;
  createdAt: Date;
  /** The part of the call's data about the person that was not stored. */
  unchanged: readonly string[];
};

export type SendOutcome =
  | { kind: 'accepted'; message: NewMessage; answer: StoredAnswer }
  | { kind: 'replayed'; answer: StoredAnswer }
  | { kind: 'refused'; refusal: Refusal };
