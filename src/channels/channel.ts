import type { TSchema } from 'typebox';
import type { ChannelCapabilities } from '../../contract/channels.ts';
import type { MessageContent } from '../../contract/messages.ts';
import type { Egress } from '../kernel/egress.ts';

/**
 * What every kind of channel is: a leaf that speaks one provider's language and knows nothing of our tables, retries or
 * states. Everything that must be the same on all channels (order, leases, retries, receipts, deduplication, consent)
 * is done once, around it. How to add a kind: docs/adding-a-channel.md.
 */
export type ChannelKind = {
  readonly kind: string;
  readonly capabilities: ChannelCapabilities;
  /** Why this one cannot be carried although its type can, in a sentence; null when it can. */
  refuses?(content: MessageContent): string | null;
  /** What a person gives to connect it; the fields named in `secretFields` are sealed, the rest is stored readable. */
  readonly settings: TSchema;
  readonly secretFields: readonly string[];
  /** The settings that say where the kind is called: secrets belong to these addresses (contract/channel-kinds.ts). */
  readonly addressFields: readonly string[];
  /**
   * Secrets that we make ourselves when a channel is connected; `shown` is the one that the answer shows,
   * once; `told` are those that `connect` sends to the provider. */
  readonly ownSecrets?: { make(): Record<string, string>; shown: string | null; told?: readonly string[] };
  /**
   * Asks the provider whether these credentials work and does what it needs to send us messages. Returns facts worth
   * keeping readable (the account's name and id). Throws ChannelFailure with what is wrong.
   */
  connect?(account: ChannelAccount, tools: SendTools): Promise<Record<string, string>>;
  /** Best effort, when the channel is disconnected: asks the provider to call no more. */
  disconnect?(account: ChannelAccount, tools: SendTools): Promise<void>;
  /** Where a person is reached, as far as the person's record says; absent where an address says nothing by itself. */
  addressOf?(person: Person): string | null;
  /** The one spelling of an address that a caller gave; null when it is none. Absent: any text is an address. */
  readAddress?(text: string): string | null;
  /** Who has this address, as far as the address says. */
  personAt?(address: string): { external_id?: string; email?: string; phone?: string };
  /** The receiver can tell a repetition by our message id: an attempt whose answer was lost is made again. */
  readonly repeatable?: boolean;
  /** Absent: the channel is the database itself, a message is delivered by being stored. */
  send?(message: OutboundMessage, account: ChannelAccount, tools: SendTools): Promise<SentMessage>;
  /** Absent: nothing comes in over HTTP. */
  readonly inbound?: Inbound;
};

export type Inbound = {
  /** Whether these very bytes come from the provider; decided before anything of them is parsed. */
  verify(request: InboundRequest, account: ChannelAccount, now: number): boolean;
  /** What happened, in our words. What is not understood is left out; a body that is no such thing throws InboundError. */
  parse(request: InboundRequest, account: ChannelAccount): InboundEvent[];
  /** What the provider wants to read instead of our empty 200: challenges of the connect flow. */
  answer?(request: InboundRequest, account: ChannelAccount): InboundAnswer | null;
};

export type InboundRequest = {
  readonly method: 'GET' | 'POST';
  /** As the provider called it: some sign it. */
  readonly url: string;
  readonly query: URLSearchParams;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
};
export type InboundAnswer = { readonly type: string; readonly body: string };

/** The bytes were signed by the provider but do not say what they should. */
export class InboundError extends Error {
  override name = 'InboundError';
}

export type InboundEvent = InboundMessage | InboundReceipt;

export type InboundMessage = {
  readonly type: 'message';
  /** The provider's own id of it: it may come twice. */
  readonly eventId: string;
  /** What the sender called the message, where it asks for it by that name later. */
  readonly providerMessageId?: string;
  readonly address: string | null;
  /** The conversation meant, for senders who know our ids. */
  readonly conversationId?: string;
  /** Who it is, as far as the provider vouches for it. */
  readonly person: Partial<Omit<Person, 'id'>> & { locale?: string | null };
  readonly content: MessageContent;
  /** Worth keeping beside it: the subject of an e-mail. */
  readonly metadata?: Readonly<Record<string, string>>;
};

export type InboundReceipt = {
  readonly type: 'receipt';
  readonly providerMessageId: string;
  readonly status: 'delivered' | 'read' | 'failed' | 'undelivered';
  readonly error?: { code: string; detail: string; provider_code: string | null };
};

export type Person = {
  readonly id: string;
  readonly external_id: string | null;
  readonly name: string | null;
  readonly email: string | null;
  readonly phone: string | null;
};

/** One connected channel with its secrets opened. */
export type ChannelAccount = {
  readonly id: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly secrets: Readonly<Record<string, string>>;
};

export type OutboundMessage = {
  readonly id: string;
  readonly conversationId: string;
  /** Null only where `needs_address` is false. */
  readonly address: string | null;
  readonly role: string;
  readonly content: MessageContent;
  readonly metadata: Readonly<Record<string, string>>;
  /** The message that this one answers: our id, and the provider's if it has one. */
  readonly replyTo: { readonly id: string; readonly providerMessageId: string | null } | null;
  /** The person's newest words before it, where the channel puts answers under what they answer. */
  readonly answers: { readonly providerMessageId: string | null; readonly subject: string | null } | null;
  readonly person: Person;
  readonly createdAt: Date;
};

export type SendTools = {
  readonly egress: Pick<Egress, 'request' | 'connect'>;
  readonly signal: AbortSignal;
  now(): number;
  /** Where the provider shall call us about this channel. */
  readonly inboundUrl: string;
};

/** `delivered` only where the provider's answer says that the person has it. */
export type SentMessage = { readonly providerMessageId: string | null; readonly status: 'sent' | 'delivered' };

export type FailureFacts = {
  readonly providerCode?: string | null;
  /** Worth trying again. */
  readonly retryable?: boolean;
  /** What the provider asked for. */
  readonly retryAfterMs?: number | null;
  /** Nothing can be sent on this channel until a person does something: it is marked broken. */
  readonly channelBroken?: boolean;
  /** No answer came after the request may have been read: trying again may reach the person twice. */
  readonly mayHaveSent?: boolean;
  /** The setting that is wrong, where the answer says so. */
  readonly setting?: string | undefined;
  readonly cause?: unknown;
};

/** Why a message was not sent (or a channel not connected). `detail` is a sentence for the operator, without secrets. */
export class ChannelFailure extends Error {
  readonly code: string;
  readonly facts: FailureFacts;
  constructor(code: string, detail: string, facts: FailureFacts = {}) {
    super(detail, { cause: facts.cause });
    this.name = 'ChannelFailure';
    this.code = code;
    this.facts = facts;
  }
}
