import type { ChannelTemplate } from '../../contract/dashboard/channels.ts';
import type { TSchema } from 'typebox';
import type { PersonField } from '../../contract/channel-kinds.ts';
import type { ChannelCapabilities } from '../../contract/channels.ts';
import type { MessageContent } from '../../contract/messages.ts';
import type { Egress } from '../kernel/egress.ts';

/**
 * The interface of a channel kind. A kind implements the protocol of one provider and does not depend on our tables,
 * retries or states. Functions that all channels share (order, leases, retries, receipts, deduplication, consent) are
 * implemented once, outside the kinds. The page docs/adding-a-channel.md describes how to add a kind.
 */
export type ChannelKind = {
  readonly kind: string;
  readonly capabilities: ChannelCapabilities;
  /**
   * Returns the reason why the content cannot be sent although the channel supports its type, as a sentence. Null: the
   * content can be sent.
   */
  refuses?(content: MessageContent): string | null;
  /**
   * The settings that a user enters to connect the channel. Fields named in `secretFields` are sealed, and all other
   * fields are stored in clear text.
   */
  readonly settings: TSchema;
  readonly secretFields: readonly string[];
  /**
   * The settings that contain the addresses to which Parley sends requests. Secrets are bound to the addresses in the
   * settings (contract/channel-kinds.ts).
   */
  readonly addressFields: readonly string[];
  /**
   * The secrets that Parley creates when a channel is connected. `shown`: the secret that the response shows once.
   * `sentToProvider`: the secrets that `connect` sends to the provider.
   */
  readonly ownSecrets?: { make(): Record<string, string>; shown: string | null; sentToProvider?: readonly string[] };
  /**
   * Checks the credentials with the provider and configures the provider to send us messages. Returns facts that are
   * stored in clear text, such as the account's name and ID. The function throws a ChannelFailure that explains the
   * problem.
   */
  connect?(account: ChannelAccount, tools: SendTools): Promise<Record<string, string>>;
  /**
   * This function is called when the channel is disconnected. The function tells the provider to stop its calls. A
   * failure of the function is ignored.
   */
  disconnect?(account: ChannelAccount, tools: SendTools): Promise<void>;
  /**
   * Returns the person's address on this channel, from the person's record. The value is absent if the record does not
   * contain an address.
   */
  addressOf?(endUser: Person): string | null;
  /** The field of the person's record that is the address (contract/channel-kinds.ts). */
  readonly personField?: PersonField;
  /** Normalizes an address that a caller gave. Null: the address is not valid. Absent: any text is a valid address. */
  readAddress?(text: string): string | null;
  /** Returns the fields of the person's record that follow from the address. */
  personAt?(address: string): { external_id?: string; email?: string; phone?: string };
  /**
   * True if the owner of this address certainly wrote the message, because the provider requires a signed-in account.
   * Absent: no address is certain. The reason is that a sender may be forged (e-mail, SMS), or the message has no
   * sender.
   */
  vouchesFor?(address: string): boolean;
  /** True: the receiver deduplicates by our message ID, so an attempt whose response was lost is repeated. */
  readonly repeatable?: boolean;
  /** True: a message counts as delivered when it is stored (contract/channel-kinds.ts). */
  readonly byStoring?: true;
  /** Sends a message. The function is absent only where `byStoring` is true. */
  send?(message: OutboundMessage, account: ChannelAccount, tools: SendTools): Promise<SentMessage>;
  /**
   * Downloads a file that a person sent, with at most MAX_ATTACHMENT_BYTES. Absent: messages of this kind refer to no
   * files.
   */
  fetchFile?(source: FileSource, account: ChannelAccount, tools: SendTools): Promise<Buffer>;
  /** Returns the templates that the provider has approved. Absent: the kind has no templates. */
  listTemplates?(account: ChannelAccount, tools: SendTools): Promise<ChannelTemplate[]>;
  /** Absent: the channel receives nothing over HTTP. */
  readonly inbound?: Inbound;
};

export type Inbound = {
  /** Checks that the provider sent exactly the received bytes, before any part of them is parsed. */
  verify(request: InboundRequest, account: ChannelAccount, now: number): boolean;
  /**
   * Translates the request of the provider into our events. Events of an unknown type are ignored. The function throws
   * InboundError if the body is not a notification.
   */
  parse(request: InboundRequest, account: ChannelAccount): InboundEvent[];
  /**
   * Returns a response that the provider expects instead of our empty 200, such as the challenge of the connect flow.
   */
  answer?(request: InboundRequest, account: ChannelAccount): InboundAnswer | null;
};

export type InboundRequest = {
  readonly method: 'GET' | 'POST';
  /** The URL as the provider called it. Some providers sign the URL. */
  readonly url: string;
  readonly query: URLSearchParams;
  /** Header names are in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
};
export type InboundAnswer = { readonly type: string; readonly body: string };

/** A channel throws this error if the provider signed the bytes, but their content is not valid. */
export class InboundError extends Error {
  override name = 'InboundError';
}

export type InboundEvent = InboundMessage | InboundReceipt;

export type InboundMessage = {
  readonly type: 'message';
  /** The provider's own ID of the event. The same event may arrive twice. */
  readonly eventId: string;
  /** The sender's ID for the message, if the sender later refers to the message by this ID. */
  readonly providerMessageId?: string;
  readonly address: string | null;
  /** The conversation is known if the sender uses our IDs. */
  readonly conversationId?: string;
  /** The fields of the person that the provider confirms. */
  readonly person: Partial<Omit<Person, 'id'>> & { locale?: string | null };
  readonly content: MessageContent;
  /**
   * A file whose bytes are still at the provider, until `fetchFile` downloads them. Before the download, and if the
   * download fails, `content` is the caption, or the kind of the file in brackets.
   */
  readonly file?: { readonly name: string; readonly source: FileSource };
  /** Additional facts to store with the message, for example the subject of an e-mail. */
  readonly metadata?: Readonly<Record<string, string>>;
};

/**
 * Splits a message with several files: the first message has the text, and each further file becomes a separate message
 * (`[file]`). The provider uses one ID for all files of a message, so only the first message gets the ID.
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

/**
 * The place of a file at the provider, in the format of the provider. The place contains no secret, because the
 * database stores it in clear text.
 */
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
  /** The message to which this message replies, as our ID and the provider's ID, if the provider has one. */
  readonly replyTo: { readonly id: string; readonly providerMessageId: string | null } | null;
  /** The person's latest message before this message, for channels that show replies in its thread. */
  readonly answers: { readonly providerMessageId: string | null; readonly subject: string | null } | null;
  readonly person: Person;
  readonly createdAt: Date;
};

export type SendTools = {
  readonly egress: Pick<Egress, 'request' | 'connect'>;
  readonly signal: AbortSignal;
  now(): number;
  /** The URL that the provider calls for this channel. */
  readonly inboundUrl: string;
};

/** The status is `delivered` only if the provider's answer confirms delivery to the person. */
export type SentMessage = { readonly providerMessageId: string | null; readonly status: 'sent' | 'delivered' };

export type FailureFacts = {
  readonly providerCode?: string | null;
  /** True if a retry may succeed. */
  readonly retryable?: boolean;
  /** The delay that the provider requested. */
  readonly retryAfterMs?: number | null;
  /** True: nothing can be sent on this channel until a user corrects it, so the channel is marked as broken. */
  readonly channelBroken?: boolean;
  /** True: no response came, but the provider may have read the request. A retry may send the message twice. */
  readonly mayHaveSent?: boolean;
  /** The wrong setting, if the response names it. */
  readonly setting?: string | undefined;
  readonly cause?: unknown;
};

/**
 * The reason why a message was not sent or a channel was not connected. `detail`: a sentence for the operator without
 * secrets.
 */
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
