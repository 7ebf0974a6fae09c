import type { AgentDefinition } from '../../contract/agents.ts';
import type { ToolContext } from '../../contract/tools.ts';
import type { Span } from '../kernel/traces/tracer.ts';
import type { MessageContent, MessageRole, MessageSource } from '../../contract/messages.ts';

/**
 * The interface of every agent: the embedded provider and all model providers. Input is the conversation, output is the
 * agent's next turn. A provider keeps nothing between turns: what it must remember it returns as `state`, which is
 * stored with the conversation and passed in again on the next turn.
 */
export type Provider = {
  readonly name: string;
  turn(request: TurnRequest): Promise<TurnResult>;
};

export type TurnRequest = {
  /** The same value when this turn is retried after a failure; absent in a dashboard try, which stores nothing. */
  turn_id?: string;
  agent: { id: string; name: string; definition: AgentDefinition };
  /** BCP 47 tag of the conversation, e.g. `ar`; null when it is not known. */
  locale: string | null;
  /** Values of the trigger's declared variables plus `end_user.*`, for templates. */
  variables: Readonly<Record<string, unknown>>;
  end_user: { id: string; name: string | null; locale: string | null };
  /** Messages so far, oldest first, including the newest end-user messages; at most MAX_HISTORY. */
  history: readonly TurnMessage[];
  /**
   * End-user messages since the agent's last turn, oldest first; empty means that the agent opens. What came without
   * words is named: `[image]`, `[file: invoice.pdf]`.
   */
  input: readonly string[];
  /** What this provider returned as `state` on the previous turn of this conversation; null on the first. */
  state: unknown;
  knowledge: KnowledgeSearch;
  now: Date;
  /** For tools: who talks where. A call adds its idempotency key and its attempt. The model cannot change it. */
  context: TurnContext;
  /** Aborts when the turn is no longer needed (newer message, shutdown, timeout). */
  signal: AbortSignal;
  /** Shows the words of the turn while they are made; absent where no one can read along. */
  words?: Words;
  /** All that the model is told to do, in place of the agent's instructions. */
  task?: string;
  /** Who pays; absent in a dashboard try. */
  account?: TurnAccount;
  /** Counts what a model uses; set by the room that calls the provider. */
  calls?: ModelCalls;
  /** The turn in a trace; absent where there are none. */
  span?: Span;
};

/** The beginning of what a turn will say. It is only shown; what is stored is the result of the turn. */
export type Words = {
  /** Whether anyone reads along now: without readers an answer is cheaper as a whole. */
  isRead(): boolean;
  /** Only text that the result begins with, unless it is taken back. */
  add(text: string): void;
  /** Takes back all of it: the turn says something else, or fails. */
  takeBack(): void;
};

/** What the costs of a turn are counted under, and the claim that its reservations belong to. */
export type TurnAccount = { lease: string; key_id: string | null; campaign_id: string | null };

export type ModelCalls = {
  /** The most that one call may answer, where the agent does not say: what is reserved must have an end. */
  readonly maxOutputTokens?: number;
  /** Before each call. Rejects with a ProviderError if it may not be made now. */
  begin(call: { inputTokens: number }): Promise<void>;
  /** After a call that was answered; `used` is null: the provider did not count. */
  end(used: { input: number; cached: number; output: number } | null, response?: ModelResponse): void;
  /** A tool was called. */
  tool(): void;
};

/** As the provider names it; `reason`: why the answer ended. */
export type ModelResponse = { id: string; model: string; reason: string };

export type TurnContext = Omit<ToolContext, 'idempotency_key' | 'attempt'>;

export type TurnMessage = { role: MessageRole; text: string };

export type TurnResult = {
  /** In the order in which they are sent; may be empty (a silent turn). */
  messages: { content: MessageContent; sources: MessageSource[] }[];
  state: unknown;
  /** The next status of the conversation: it waits for the person, is handed to a human, or is complete. */
  next: 'waiting_for_user' | 'handed_off' | 'completed';
  /** Tags to add to the conversation. */
  tags: string[];
  /** True when the person opted out of messages. */
  opted_out: boolean;
  /** Why the agent said this; shown in the dashboard, never to the person. */
  trace: TurnTrace;
};

export type TurnTrace = {
  provider: string;
  steps: { kind: string; detail: string; [more: string]: unknown }[];
};

/** `section` names the headings above the passage; `heading` also the sentences that introduce its list. */
export type Passage = {
  document_id: string;
  document: string;
  section: string | null;
  heading: string | null;
  text: string;
};

export type Finding = { passage: Passage; score: number };

/** A part of a document that may answer a question: its name, and what it says. */
export type Offer = { label: string; passages: Passage[] };

/** `findings` answer the question. When there are none, `offers` may: at most two, the nearest first. */
export type Answer = { findings: Finding[]; offers: Offer[] };

/**
 * What a model is given, in the order of the documents. `whole`: it is all that the agent has. `documents` names them,
 * the first ones if there are many.
 */
export type Gathered = { whole: boolean; findings: Finding[]; documents: string[]; meaning?: Meaning };

/** Whether the search also went by meaning; absent without embeddings, and where all documents are given. */
export type Meaning = 'used' | ProviderError['code'] | 'too_large' | 'incomplete';

/** Who asks: embedding a question costs, and ends with the turn. */
export type Asker = Pick<TurnRequest, 'context' | 'account' | 'agent' | 'signal' | 'span'>;

/** How much of a person's text is used to search documents; the cost of a search grows with it. */
export const MAX_QUESTION_CHARACTERS = 2_000;

/** Two searches for two readers: a person who is quoted to, and a model that reads by itself. */
export type KnowledgeSearch = {
  answer(question: string): Promise<Answer>;
  /** As many passages as fit into `tokens`; `earlier` is what was said before the question. */
  gather(question: string, earlier: string, tokens: number, asker?: Asker): Promise<Gathered>;
};

export const NO_KNOWLEDGE: KnowledgeSearch = {
  answer: async () => ({ findings: [], offers: [] }),
  gather: async () => ({ whole: true, findings: [], documents: [] }),
};

/** A fault in a definition whose shape is valid; a turn leaves such a part out. */
export type DefinitionFault = { pointer: string; code: string; detail: string };

/**
 * The provider, or the knowledge that it answers from, could not answer. `retryable` says whether the same turn may
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
    | 'knowledge_failed';
  readonly retryAfterMs: number | null;
  /** Nothing was called, because the provider or a budget has to be waited for: this was no attempt. */
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
 * How many messages of history a turn sees at most: enough for a conversation, and it fits a model's context window.
 */
export const MAX_HISTORY = 40;
