import type { AgentDefinition } from '../../contract/agents.ts';
import type { ToolContext } from '../../contract/tools.ts';
import type { Span } from '../kernel/traces/tracer.ts';
import type { MessageContent, MessageRole, MessageSource } from '../../contract/messages.ts';
import type { DecideInPlace, KnownApproval, StoredCall } from './providers/stored-call.ts';
import type { TurnTrace } from './turn-trace.ts';

/**
 * The interface of every agent, whether the embedded provider or a model provider answers. The input is the
 * conversation, and the output is the agent's next turn. A provider stores nothing between turns. The provider returns
 * data that it needs later as `state`, which is stored with the conversation and passed in again on the next turn.
 */
export type Provider = {
  readonly name: string;
  turn(request: TurnRequest): Promise<TurnResult>;
};

export type TurnRequest = {
  /**
   * The ID stays the same if this turn is retried after a failure. The ID is absent in a dashboard try, which stores
   * nothing.
   */
  turn_id?: string;
  agent: { id: string; name: string; definition: AgentDefinition };
  /** The BCP 47 tag of the conversation, such as `ar`. Null: the locale is not known. */
  locale: string | null;
  /** The values of the trigger's declared variables and of `end_user.*`, for templates. */
  variables: Readonly<Record<string, unknown>>;
  end_user: { id: string; name: string | null; locale: string | null };
  /** At most MAX_HISTORY messages so far, oldest first, including the newest end-user messages. */
  history: readonly TurnMessage[];
  /**
   * The end-user messages after the agent's last turn, oldest first. Empty: the agent opens the conversation. Messages
   * without text have a placeholder, such as `[image]` or `[file: invoice.pdf]`.
   */
  input: readonly string[];
  /** The `state` that this provider returned on the previous turn of this conversation. Null on the first turn. */
  state: unknown;
  knowledge: KnowledgeSearch;
  /** Reads the images of the messages in `history`. Absent: no image can be read. */
  openImages?: OpenImages;
  now: Date;
  /**
   * The data for tools about the end user, the conversation and the channel. Each call adds its idempotency key and its
   * attempt. The model cannot change the data for tools.
   */
  context: TurnContext;
  /** The signal aborts when the turn is no longer needed (newer message, shutdown, timeout). */
  signal: AbortSignal;
  /** Shows the text of the turn while it is written. Absent: no one can read the text live. */
  words?: Words;
  /** The complete task for the model. This task replaces the agent's instructions. */
  task?: string;
  /** The JSON Schema of the answer to the task, which is one JSON text. */
  form?: Record<string, unknown>;
  /** The account to which costs are charged. The value is absent in a try from the dashboard. */
  account?: TurnAccount;
  /** The tool calls that wait for approval, and the decisions that the agent does not know yet. */
  approvals?: readonly KnownApproval[];
  /** Decides in a try about tool calls that need an approval. Absent: the team decides, and the calls wait. */
  decideApproval?: DecideInPlace;
  /** Counts the model's usage. The room that calls the provider sets this function. */
  calls?: ModelCalls;
  /** The span of this turn in a trace. The value is absent if tracing is off. */
  span?: Span;
};

/**
 * The beginning of the text of a turn, shown live to readers. This text is shown but never stored, because the result
 * of the turn is stored.
 */
export type Words = {
  /** True if anyone is reading now. Without readers, requesting the whole answer is cheaper than a stream. */
  isRead(): boolean;
  /** Adds text to the shown text. The result must begin with the added text, unless the text is removed first. */
  add(text: string): void;
  /** Removes all shown text, because the turn has another text or fails. */
  takeBack(): void;
};

/** The record under which the costs of a turn are counted, with the claim to which its reservations belong. */
export type TurnAccount = { lease: string; key_id: string | null; campaign_id: string | null };

export type ModelCalls = {
  /** The maximum length of one answer if the agent sets none, because a reservation needs a limit. */
  readonly maxOutputTokens?: number;
  /**
   * Call this method before each model call. The promise rejects with a ProviderError if the model may not be called
   * now.
   */
  begin(call: { inputTokens: number }): Promise<void>;
  /** Call this method after a model call that got an answer. `used`: null if the provider did not report the usage. */
  end(used: { input: number; cached: number; output: number } | null, response?: ModelResponse): void;
  /** Call this method after a tool call. */
  tool(): void;
};

/** The model and the ID, as the provider names them. `reason`: why the answer ended. */
export type ModelResponse = { id: string; model: string; reason: string };

export type TurnContext = Omit<ToolContext, 'idempotency_key' | 'attempt'>;

/** `image`: the ID of the message, if it shows an image. */
export type TurnMessage = { role: MessageRole; text: string; image?: string };

export type TurnImage = { type: string; bytes: Buffer; /** The hash (SHA-256), in hexadecimal. */ hash: string };

/**
 * Reads the images of messages by the IDs of the messages, the newest first. The result excludes an image that is too
 * large, deleted, or of another type. The bytes of the images count against a limit of the process until `close`. The
 * promise rejects with a ProviderError that waits if the limit is reached.
 */
export type OpenImages = (
  messageIds: readonly string[],
) => Promise<{ images: ReadonlyMap<string, TurnImage>; close(): void }>;

export type TurnResult = {
  /** The messages in the order in which they are sent. The value is empty for a turn that sends nothing. */
  messages: { content: MessageContent; sources: MessageSource[] }[];
  state: unknown;
  /** The next status of the conversation, which waits for the person, is handed to a human, or is complete. */
  next: 'waiting_for_user' | 'handed_off' | 'completed';
  /** The tags to add to the conversation. */
  tags: string[];
  /** True: the person opted out of further messages. */
  opted_out: boolean;
  /** The values of result fields, if the provider returns them. */
  result?: Readonly<Record<string, unknown>>;
  /** The tool calls that wait for the approval of the team after this turn. */
  requested?: StoredCall[];
  /**
   * True: the decisions of `approvals` were passed to the agent in this turn. A list contains the IDs of the approvals
   * whose decisions were passed.
   */
  readDecisions?: boolean | readonly string[];
  /**
   * The steps that led to the agent's answer. Members see the steps in the dashboard, and the person never sees them.
   */
  trace: TurnTrace;
};

/**
 * `section`: the headings above the passage. `heading`: the headings, and the sentences that introduce the passage's
 * list.
 */
export type Passage = {
  document_id: string;
  document: string;
  section: string | null;
  heading: string | null;
  text: string;
  /**
   * Questions of people that the passage answers in other words. End users never see the stored questions of other
   * people.
   */
  wordings?: readonly Wording[];
};

/**
 * `section`: people chose the passage with its neighbors, so they are quoted together. `written`: a model wrote the
 * question, so the search uses its words with a lower weight, and the question alone is no proof.
 */
export type Wording = { question: string; section: boolean; written?: boolean };

export type Finding = { passage: Passage; score: number };

/**
 * A part of a document that may answer a question, with its name and its passages. `nearest`: the likeliest passage.
 */
export type Offer = { label: string; passages: Passage[]; nearest: Passage };

/**
 * `findings`: the passages that answer the question. `offers`: without findings, at most two sections that may answer,
 * the nearest first.
 */
export type Answer = { findings: Finding[]; offers: Offer[] };

/**
 * The passages for a model, in the order of the documents. `whole`: the list contains all passages of the agent.
 * `documents`: the names of the documents, or only the first names if there are many.
 */
export type Gathered = { whole: boolean; findings: Finding[]; documents: string[]; meaning?: Meaning };

/** True if the search also used meaning. The value is absent without embeddings, and if all documents are passed. */
export type Meaning = 'used' | ProviderError['code'] | 'too_large' | 'incomplete';

/** The turn in which the search is made. An embedding of the question has a cost, and the search ends with the turn. */
export type Asker = Pick<TurnRequest, 'context' | 'account' | 'agent' | 'signal' | 'span'>;

/**
 * At most this many characters of a person's text are used to search documents. A longer text makes the search slower.
 */
export const MAX_QUESTION_CHARACTERS = 2_000;

/** The searches for two readers, a person who reads quotes and a model that reads passages. */
export type KnowledgeSearch = {
  answer(question: string): Promise<Answer>;
  /** Ranks the passages by similarity to the question, the nearest first, for a member who chooses a passage. */
  rank(question: string): Promise<Finding[]>;
  /** Returns as many passages as fit into `tokens`. `earlier`: the text before the question. */
  gather(question: string, earlier: string, tokens: number, asker?: Asker): Promise<Gathered>;
};

export const NO_KNOWLEDGE: KnowledgeSearch = {
  answer: async () => ({ findings: [], offers: [] }),
  rank: async () => [],
  gather: async () => ({ whole: true, findings: [], documents: [] }),
};

/** A fault in a definition that fits the schema. A turn leaves out the part of the definition with the fault. */
export type DefinitionFault = { pointer: string; code: string; detail: string };

/**
 * The error of a provider, or of its knowledge source, that could not answer. `retryable`: whether the same turn may
 * succeed later.
 */
export class ProviderError extends Error {
  readonly retryable: boolean;
  readonly code:
    | 'provider_unreachable'
    | 'provider_refused'
    | 'provider_rate_limited'
    | 'provider_garbled'
    | 'provider_timeout'
    | 'budget_spent'
    | 'budget_busy'
    | 'images_busy'
    | 'knowledge_failed';
  readonly retryAfterMs: number | null;
  /**
   * True: no call was made, because a provider or a budget is not available yet. A failure without a call does not
   * count as an attempt.
   */
  readonly waits: boolean;

  constructor(
    code: ProviderError['code'],
    message: string,
    options: { retryable: boolean; retryAfterMs?: number | null; waits?: boolean; cause?: unknown },
  ) {
    super(message, { cause: options.cause });
    this.name = 'ProviderError';
    this.code = code;
    this.retryable = options.retryable;
    this.retryAfterMs = options.retryAfterMs ?? null;
    this.waits = options.waits ?? false;
  }
}

/**
 * The provider throws this error when the customer's code answers the turn later. The run waits without a worker until
 * the answer arrives.
 */
export class TurnWaits extends Error {
  constructor() {
    super('The turn waits for the answer of the code.');
    this.name = 'TurnWaits';
  }
}

/**
 * The history of a turn has at most this many messages. The number is enough for a conversation and fits a model's
 * context window.
 */
export const MAX_HISTORY = 40;
