import type { AgentDefinition } from '../../contract/agents.ts';
import type { MessageContent, MessageRole, MessageSource } from '../../contract/messages.ts';

/**
 * The port behind which every agent answers: the embedded provider and all model providers.
 * A conversation goes in, the agent's next turn comes out. A provider keeps nothing between turns: what it must
 * remember it returns as `state`, which is stored with the conversation and handed back on the next turn.
 */
export type Provider = {
  readonly name: string;
  turn(request: TurnRequest): Promise<TurnResult>;
};

export type TurnRequest = {
  /** The same when this turn is asked for again after a failure; absent in a try, of which nothing is kept. */
  turn_id?: string;
  agent: { id: string; name: string; definition: AgentDefinition };
  /** BCP 47 tag of the conversation, e.g. `ar`; null when nobody said. */
  locale: string | null;
  /** Values of the trigger's declared variables plus `end_user.*`, for templates. */
  variables: Readonly<Record<string, unknown>>;
  end_user: { id: string; name: string | null; locale: string | null };
  /** What was said so far, oldest first, the newest end-user messages included; at most MAX_HISTORY. */
  history: readonly TurnMessage[];
  /** End-user messages since the agent's last turn, oldest first; empty means that the agent opens. */
  input: readonly string[];
  /** What this provider returned as `state` on the previous turn of this conversation; null on the first. */
  state: unknown;
  knowledge: KnowledgeSearch;
  now: Date;
  /** Fires when the turn is no longer wanted (newer message, shutdown, time limit). */
  signal: AbortSignal;
};

export type TurnMessage = { role: MessageRole; text: string };

export type TurnResult = {
  /** In the order in which they are to be said; may be empty (a silent turn). */
  messages: { content: MessageContent; sources: MessageSource[] }[];
  state: unknown;
  /** What the conversation does now: waits for the person, is handed to people, or is finished. */
  next: 'waiting_for_user' | 'handed_off' | 'completed';
  /** Labels to put on the conversation. */
  tags: string[];
  /** True when the person asked not to be written to again. */
  opted_out: boolean;
  /** Why the agent said this; shown in the dashboard, never to the person. */
  trace: TurnTrace;
};

export type TurnTrace = {
  provider: string;
  steps: { kind: string; detail: string; [more: string]: unknown }[];
};

export type Passage = { document_id: string; document: string; heading: string | null; text: string };

export type Finding = { passage: Passage; score: number };

/** Of what a person says, what documents are asked for; the cost of a search grows with it. */
export const MAX_QUESTION_CHARACTERS = 1_000;

export type KnowledgeSearch = {
  /** Best passages first; an empty list means: the documents do not answer this. */
  search(question: string, limit: number): Promise<Finding[]>;
};

/** What is wrong with a definition although its shape is right; such a part is left out when a turn is taken. */
export type DefinitionFault = { pointer: string; code: string; detail: string };

/** A provider that could not answer, or the knowledge that it answers from. `retryable` says whether the same turn may succeed later. */
export class ProviderError extends Error {
  readonly retryable: boolean;
  readonly code:
    | 'provider_unreachable'
    | 'provider_refused'
    | 'provider_rate_limited'
    | 'provider_garbled'
    | 'provider_timeout'
    | 'knowledge_failed';
  readonly retryAfterMs: number | null;

  constructor(
    code: ProviderError['code'],
    message: string,
    options: { retryable: boolean; retryAfterMs?: number | null; cause?: unknown },
  ) {
    super(message, { cause: options.cause });
    this.name = 'ProviderError';
    this.code = code;
    this.retryable = options.retryable;
    this.retryAfterMs = options.retryAfterMs ?? null;
  }
}

/** How many messages of history a turn sees at most: enough for a talk, bounded for a model's window. */
export const MAX_HISTORY = 40;
