import type { ChannelTemplate } from '../../contract/dashboard/channels.ts';
import type { TSchema } from 'typebox';
import type { PersonField } from '../../contract/channel-kinds.ts';
import type { ChannelCapabilities } from '../../contract/channels.ts';
import type { MessageContent } from '../../contract/messages.ts';
import type { Egress } from '../kernel/egress.ts';

/**
 * The interface of a channel kind: a leaf that speaks one provider's protocol and knows nothing of our tables, retries
 * or states. What is the same for all channels (order, leases, retries, receipts, deduplication, consent) is
 * implemented once, outside the kinds. How to add a kind: docs/adding-a-channel.md.
 */
export type ChannelKind = {
  readonly kind: string;
  readonly capabilities: ChannelCapabilities;
  /**
   * Why this content cannot be sent although the channel supports its type, as a sentence; null when it can be sent.
   */
  refuses?(content: MessageContent): string | null;
  /**
   * What a user enters to connect the channel. Fields named in `secretFields` are sealed; the rest is stored in clear
   * text.
   */
  readonly settings: TSchema;
  readonly secretFields: readonly string[];
  /** The settings that hold the addresses we call. Secrets are bound to these addresses (contract/channel-kinds.ts). */
  readonly addressFields: readonly string[];
  /**
   * Secrets that we create when a channel is connected. `shown` is the one that the answer shows, once; `told` are
   * those that `connect` sends to the provider.
   */
  readonly ownSecrets?: { make(): Record<string, string>; shown: string | null; told?: readonly string[] };
  /**
   * Checks the credentials with the provider and sets up what it needs to send us messages. Returns facts that are
   * stored in clear text (the account's name and id). Throws a ChannelFailure that says what is wrong.
   */
  connect?(account: ChannelAccount, tools: SendTools): Promise<Record<string, string>>;
  /** Called when the channel is disconnected: asks the provider to stop calling us. Best effort. */
  disconnect?(account: ChannelAccount, tools: SendTools): Promise<void>;
  /**
   * The person's address on this channel, taken from the person's record. Absent: the record does not contain the
   * address.
   */
  addressOf?(person: Person): string | null;
  /** The field of the person's record that is the address (contract/channel-kinds.ts). */
  readonly personField?: PersonField;
  /** Normalizes an address that a caller gave; null when it is not valid. Absent: any text is a valid address. */
  readAddress?(text: string): string | null;
  /** What the address says about the person who has it. */
  personAt?(address: string): { external_id?: string; email?: string; phone?: string };
  /**
   * Whether a message from this address was certainly written by its owner: the provider signed it in to an account.
   * Absent: never, because a sender may be forged (e-mail, SMS) or there is none.
   */
  vouchesFor?(address: string): boolean;
  /** The receiver deduplicates by our message id, so an attempt whose answer was lost is repeated. */
  readonly repeatable?: boolean;
  /** A message is delivered when it is stored (contract/channel-kinds.ts). */
  readonly byStoring?: true;
  /** Absent only where `byStoring` is true. */
  send?(message: OutboundMessage, account: ChannelAccount, tools: SendTools): Promise<SentMessage>;
  /** The bytes of a file that a person sent, at most MAX_ATTACHMENT_BYTES. Absent: the kind names no files. */
  fetchFile?(source: FileSource, account: ChannelAccount, tools: SendTools): Promise<Buffer>;
  /** Texts that the provider has approved. Absent: the kind has none. */
  listTemplates?(account: ChannelAccount, tools: SendTools): Promise<ChannelTemplate[]>;
  /** Absent: the channel receives nothing over HTTP. */
  readonly inbound?: Inbound;
};

export type Inbound = {
  /** Checks that exactly these bytes come from the provider, before any of them is parsed. */
  verify(request: InboundRequest, account: ChannelAccount, now: number): boolean;
  /**
   * Translates the request into our events. Leaves out what it does not understand. Throws InboundError when the body
   * is not a notification at all.
   */
  parse(request: InboundRequest, account: ChannelAccount): InboundEvent[];
  /** The answer that the provider expects instead of our empty 200: challenges of the connect flow. */
  answer?(request: InboundRequest, account: ChannelAccount): InboundAnswer | null;
};

export type InboundRequest = {
  readonly method: 'GET' | 'POST';
  /** The URL as the provider called it; some providers sign it. */
  readonly url: string;
  readonly query: URLSearchParams;
  /** Header names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
};
export type InboundAnswer = { readonly type: string; readonly body: string };

/** The provider signed the bytes, but they do not contain what they should. */
export class InboundError extends Error {
  override name = 'InboundError';
}

export type InboundEvent = InboundMessage | InboundReceipt;

export type InboundMessage = {
  readonly type: 'message';
  /** The provider's own id of the event; it may arrive twice. */
  readonly eventId: string;
  /** The sender's id for the message, when the sender refers to it later by that id. */
  readonly providerMessageId?: string;
  readonly address: string | null;
  /** The conversation, for senders who know our ids. */
  readonly conversationId?: string;
  /** The person, as far as the provider vouches for the identity. */
  readonly person: Partial<Omit<Person, 'id'>> & { locale?: string | null };
  readonly content: MessageContent;
  /**
   * A file whose bytes are still at the provider: `fetchFile` gets them later. Until then, and if it cannot, `content`
   * is the caption, or the kind of the file in brackets.
   */
  readonly file?: { readonly name: string; readonly source: FileSource };
  /** Extra facts to store with the message: for example the subject of an e-mail. */
  readonly metadata?: Readonly<Record<string, string>>;
};

/**
 * A message with several files: the first carries the text, each other is a message of its own (`[file]`). A provider
 * refers to all of them by one id, so only the first has it.
 */
export function withFiles(
  message: InboundMessage,
  files: readonly NonNullable<InboundMessage['file']>[],
): InboundMessage[] {
  const [first, ...others] = files;
  const { providerMessageId: _, ...alone } = message;
  const content = { type: 'text' as const, text: '[file]' };
  return [
    { ...message, ...(first && { file: first }) },
    ...others.map((file, index) => ({ ...alone, eventId: `${message.eventId}:file${index + 2}`, content, file })),
  ];
}

/** Where the provider has a file, in its own words. It contains no secret: it is stored in clear text. */
export type FileSource = Readonly<Record<string, string>>;

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

/** One connected channel with its secrets unsealed. */
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
  /** The message that this one answers: our id, and the provider's id if it has one. */
  readonly replyTo: { readonly id: string; readonly providerMessageId: string | null } | null;
  /** The person's latest message before this one, for channels that thread answers under it. */
  readonly answers: { readonly providerMessageId: string | null; readonly subject: string | null } | null;
  readonly person: Person;
  readonly createdAt: Date;
};

export type SendTools = {
  readonly egress: Pick<Egress, 'request' | 'connect'>;
  readonly signal: AbortSignal;
  now(): number;
  /** The URL at which the provider calls us about this channel. */
  readonly inboundUrl: string;
};

/** `delivered` only when the provider's answer confirms delivery to the person. */
export type SentMessage = { readonly providerMessageId: string | null; readonly status: 'sent' | 'delivered' };

export type FailureFacts = {
  readonly providerCode?: string | null;
  /** Whether a retry makes sense. */
  readonly retryable?: boolean;
  /** The delay that the provider asked for. */
  readonly retryAfterMs?: number | null;
  /** Nothing can be sent on this channel until a user fixes it: the channel is marked broken. */
  readonly channelBroken?: boolean;
  /** No answer came, but the provider may have read the request: a retry may send the message twice. */
  readonly mayHaveSent?: boolean;
  /** The setting that is wrong, when the answer names it. */
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
