import type { AgentDefinition } from '../../contract/agents.ts';
import type { ToolContext } from '../../contract/tools.ts';
import type { Span } from '../kernel/traces/tracer.ts';
import type { MessageContent, MessageRole, MessageSource } from '../../contract/messages.ts';
import type { DecideInPlace, KnownApproval, StoredCall } from './providers/stored-call.ts';
import type { TurnTrace } from './turn-trace.ts';

/**
 * The interface of every agent: the embedded provider and all model providers. The input is the conversation, and the
 * output is the agent's next turn. A provider stores nothing between turns. Data that the provider needs later is
 * returned as `state`, which is stored with the conversation and passed in again on the next turn.
 */
export type Provider = {
  readonly name: string;
  turn(request: TurnRequest): Promise<TurnResult>;
};

export type TurnRequest = {
  /**
   * The ID stays the same when this turn is retried after a failure. The ID is absent in a dashboard try, which stores
   * nothing.
   */
  turn_id?: string;
  agent: { id: string; name: string; definition: AgentDefinition };
  /** BCP 47 tag of the conversation, e.g. `ar`. Null: the locale is not known. */
  locale: string | null;
  /** Values of the trigger's declared variables plus `end_user.*`, for templates. */
  variables: Readonly<Record<string, unknown>>;
  end_user: { id: string; name: string | null; locale: string | null };
  /** The messages so far, oldest first, including the newest end-user messages. At most MAX_HISTORY. */
  history: readonly TurnMessage[];
  /**
   * End-user messages since the agent's last turn, oldest first. Empty: the agent opens the conversation. Messages
   * without text have a placeholder: `[image]`, `[file: invoice.pdf]`.
   */
  input: readonly string[];
  /** The `state` that this provider returned on the previous turn of this conversation. Null on the first turn. */
  state: unknown;
  knowledge: KnowledgeSearch;
  /** Reads the images of the messages in `history`. Absent: no image can be read. */
  openImages?: OpenImages;
  now: Date;
  /**
   * Data for tools: the end user, the conversation and the channel. Each call adds its idempotency key and its attempt.
   * The model cannot change this data.
   */
  context: TurnContext;
  /** Aborts when the turn is no longer needed (newer message, shutdown, timeout). */
  signal: AbortSignal;
  /** Shows the text of the turn while it is written. Absent if no one can read it live. */
  words?: Words;
  /** The complete task for the model. This task replaces the instructions of the agent. */
  task?: string;
  /** JSON Schema of the answer to the task, which is one JSON text. */
  form?: Record<string, unknown>;
  /** The account to which costs are charged. Absent in a test from the dashboard. */
  account?: TurnAccount;
  /** The calls that wait for the approval of the team, and the decisions that were not yet passed to the agent. */
  approvals?: readonly KnownApproval[];
  /** Decides in a try about calls that need an approval. Absent: the team decides, and the calls wait. */
  decideApproval?: DecideInPlace;
  /** Counts the model's usage. The room that calls the provider sets this function. */
  calls?: ModelCalls;
  /** The span of the turn in a trace. Absent if tracing is off. */
  span?: Span;
};

/**
 * The beginning of the text of a turn, shown live. This text is shown but never stored. The result of the turn is
 * stored.
 */
export type Words = {
  /** Whether anyone is reading now. Without readers, requesting the whole answer at once is cheaper. */
  isRead(): boolean;
  /** Adds text. The result must begin with the added text, unless `replace` removes it. */
  add(text: string): void;
  /** Removes all shown text, because the turn has another text or fails. */
  takeBack(): void;
};

/** The record under which the costs of a turn are counted, and the claim to which its reservations belong. */
export type TurnAccount = { lease: string; key_id: string | null; campaign_id: string | null };

export type ModelCalls = {
  /** The maximum length of one answer if the agent sets none, because a reservation needs a limit. */
  readonly maxOutputTokens?: number;
  /** Called before each model call. Rejects with a ProviderError if the call may not be made now. */
  begin(call: { inputTokens: number }): Promise<void>;
  /** Called after a call that got an answer. `used` is null if the provider did not report its usage. */
  end(used: { input: number; cached: number; output: number } | null, response?: ModelResponse): void;
  /** A tool was called. */
  tool(): void;
};

/** Model and ID as the provider names them. `reason`: why the answer ended. */
export type ModelResponse = { id: string; model: string; reason: string };

export type TurnContext = Omit<ToolContext, 'idempotency_key' | 'attempt'>;

/** `image`: the ID of the message, if it shows an image. */
export type TurnMessage = { role: MessageRole; text: string; image?: string };

export type TurnImage = { type: string; bytes: Buffer; /** SHA-256, in hexadecimal. */ hash: string };

/**
 * Reads images by the IDs of their messages, the newest first. The result has no image that is too large, deleted, or
 * of another type. The bytes count against a limit of the process until `close`. Rejects with a ProviderError that
 * waits if the limit is reached.
 */
export type OpenImages = (
  messageIds: readonly string[],
) => Promise<{ images: ReadonlyMap<string, TurnImage>; close(): void }>;

export type TurnResult = {
  /** The messages in sending order. Empty for a silent turn. */
  messages: { content: MessageContent; sources: MessageSource[] }[];
  state: unknown;
  /** The next status of the conversation: it waits for the person, is handed to a human, or is complete. */
  next: 'waiting_for_user' | 'handed_off' | 'completed';
  /** Tags to add to the conversation. */
  tags: string[];
  /** True when the person opted out of further messages. */
  opted_out: boolean;
  /** Values of result fields, if the provider names them itself. */
  result?: Readonly<Record<string, unknown>>;
  /** The calls that wait for the approval of the team from now on. */
  requested?: StoredCall[];
  /**
   * True: the decisions of `approvals` were passed to the agent in this turn. A list: the IDs of the approvals whose
   * decisions were passed.
   */
  readDecisions?: boolean | readonly string[];
  /** The reasons for the agent's answer. The reasons are shown in the dashboard, never to the person. */
  trace: TurnTrace;
};

/** `section` contains the headings above the passage. `heading` also contains the sentences that introduce its list. */
export type Passage = {
  document_id: string;
  document: string;
  section: string | null;
  heading: string | null;
  text: string;
  /** Questions of people that this passage answers in other words. People never see these questions. */
  wordings?: readonly Wording[];
};

/**
 * `section`: people chose the passage with its neighbours, so these are quoted together. `written`: a model wrote the
 * question, so the search uses its words with a lower weight, and the question alone is no proof.
 */
export type Wording = { question: string; section: boolean; written?: boolean };

export type Finding = { passage: Passage; score: number };

/** A part of a document that may answer a question: its name and its passages. `nearest` is the likeliest passage. */
export type Offer = { label: string; passages: Passage[]; nearest: Passage };

/** `findings` answer the question. If there are no findings, `offers` may answer: at most two, the nearest first. */
export type Answer = { findings: Finding[]; offers: Offer[] };

/**
 * The passages for a model, in the order of the documents. `whole`: these are all passages of the agent. `documents`
 * has the names of the documents, or only the first ones if there are many.
 */
export type Gathered = { whole: boolean; findings: Finding[]; documents: string[]; meaning?: Meaning };

/** Whether the search also used meaning. Absent without embeddings, and if all documents are passed. */
export type Meaning = 'used' | ProviderError['code'] | 'too_large' | 'incomplete';

/** The turn in which the call is made. Embedding a question has a cost. The call ends with the turn. */
export type Asker = Pick<TurnRequest, 'context' | 'account' | 'agent' | 'signal' | 'span'>;

/** How much of a person's text is used to search documents. A longer text makes the search slower. */
export const MAX_QUESTION_CHARACTERS = 2_000;

/** Two searches for two readers: a person who reads quotes, and a model that reads passages. */
export type KnowledgeSearch = {
  answer(question: string): Promise<Answer>;
  /** The passages that are most similar to the question, the nearest first, for a member who chooses one. */
  rank(question: string): Promise<Finding[]>;
  /** Returns as many passages as fit into `tokens`. `earlier` is the text before the question. */
  gather(question: string, earlier: string, tokens: number, asker?: Asker): Promise<Gathered>;
};

export const NO_KNOWLEDGE: KnowledgeSearch = {
  answer: async () => ({ findings: [], offers: [] }),
  rank: async () => [],
  gather: async () => ({ whole: true, findings: [], documents: [] }),
};

/** A fault in a definition whose shape is valid. A turn leaves out the part with the fault. */
export type DefinitionFault = { pointer: string; code: string; detail: string };

/**
 * The provider, or the knowledge source that it uses, could not answer. `retryable`: whether the same turn may succeed
 * later.
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
   * No call was made, because a provider or a budget is not available yet. This failure does not count as an attempt.
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

/** The customer's code answers the turn later. The run waits without a worker until then. */
export class TurnWaits extends Error {
  constructor() {
    super('The turn waits for the answer of the code.');
    this.name = 'TurnWaits';
  }
}

/**
 * The maximum number of history messages that a turn contains. This number is enough for a conversation and fits a
 * model's context window.
 */
export const MAX_HISTORY = 40;
