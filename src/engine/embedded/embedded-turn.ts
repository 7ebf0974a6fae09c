import type { AgentDefinition, LocalizedText } from '../../../contract/agents.ts';
import type { MessageContent, MessageSource } from '../../../contract/messages.ts';
import { readMemory, withMemory } from '../conversation-memory.ts';
import type { Offer, TurnRequest, TurnResult } from '../provider.ts';
import type { TurnTrace } from '../turn-trace.ts';
import { renderTemplate, renderText, type Variables } from '../templates.ts';
import type { Budget } from './compile-pattern.ts';
import { type BuiltIn, builtInTexts } from './built-in-texts.ts';
import { detectLanguage, languageOf } from './detect-language.ts';
import { MAX_PATTERN_STEPS } from './match-rules.ts';
import { type EmbeddedState, type Offered, readState } from './read-state.ts';

/**
 * One turn in progress: the input, the remembered state, and the messages so far. The object of a turn exists for one
 * turn only.
 */
export type EmbeddedTurn = {
  readonly request: TurnRequest;
  readonly definition: AgentDefinition;
  readonly state: EmbeddedState;
  /** True in the first turn of this conversation. */
  readonly first: boolean;
  /** The language of this turn. Null until the language is known. */
  readonly language: string | null;
  readonly texts: BuiltIn;
  readonly messages: TurnResult['messages'];
  readonly trace: TurnTrace['steps'];
  readonly tags: Set<string>;
  /** The remaining budget of this turn for patterns. */
  readonly patterns: Budget;
  next: TurnResult['next'];
  optedOut: boolean;
  /** The sections that the previous turn offered. */
  readonly offeredBefore: readonly Offered[];
  /** The question for which the previous turn offered sections. */
  readonly askedBefore: string | null;
  /** Sections that may answer the question that was searched last. */
  offers: Offer[];
};

export const beginTurn = (request: TurnRequest): EmbeddedTurn => {
  const state = readState(request.state);
  // An offer of sections is valid for one turn.
  const { offered: offeredBefore, asked: askedBefore } = state;
  state.offered = [];
  state.asked = null;
  const asked = languageOf(request.locale) ?? languageOf(request.end_user.locale);
  const before = state.language ?? asked;
  const language =
    request.input.length === 0 ? before : detectLanguage(request.input.slice(-10).join('\n').slice(0, 4_000), before);
  const trace: TurnTrace['steps'] = [];
  // Only a language in which the person wrote is stored, so that a locale that is set later still takes effect.
  if (language !== before) trace.push({ kind: 'language', detail: `The person writes ${language}.`, language });
  if (language !== null && language !== asked) state.language = language;
  return {
    request,
    definition: request.agent.definition,
    state,
    first: request.state === null || request.state === undefined,
    language,
    texts: builtInTexts(language ?? onlyLanguage(request.agent.definition)),
    messages: [],
    trace,
    tags: new Set(),
    patterns: { steps: MAX_PATTERN_STEPS },
    next: 'waiting_for_user',
    optedOut: false,
    offeredBefore,
    askedBefore,
    offers: [],
  };
};

export const endTurn = (turn: EmbeddedTurn): TurnResult => ({
  messages: turn.messages,
  state: withMemory(turn.state, readMemory(turn.request.state)),
  next: turn.next,
  tags: [...turn.tags],
  opted_out: turn.optedOut,
  trace: { provider: 'embedded', steps: turn.trace },
});

export const note = (turn: EmbeddedTurn, kind: string, detail: string, more: Record<string, unknown> = {}): void => {
  turn.trace.push({ kind, detail, ...more });
};

export const say = (turn: EmbeddedTurn, text: string, sources: MessageSource[] = []): void => {
  // A text is empty only if a variable is empty, and an empty message cannot be sent.
  if (text.trim() !== '') turn.messages.push({ content: { type: 'text', text }, sources });
};

export const sayContent = (turn: EmbeddedTurn, content: MessageContent): void => {
  turn.messages.push({ content, sources: [] });
};

/**
 * Renders the author's text in the language of the conversation, with its variables. Null if the author wrote no text.
 */
export const ownText = (turn: EmbeddedTurn, text: LocalizedText | undefined, more?: Variables): string | null =>
  text === undefined ? null : renderText(text, turn.language, variablesOf(turn, more));

/** Renders a built-in text with its variables. */
export const builtIn = (turn: EmbeddedTurn, template: string, more?: Variables): string =>
  renderTemplate(template, variablesOf(turn, more));

const variablesOf = (turn: EmbeddedTurn, more?: Variables): Variables => ({
  agent: { name: turn.request.agent.name },
  end_user: { id: turn.request.end_user.id, name: turn.request.end_user.name },
  ...turn.request.variables,
  ...more,
});

/** If the author wrote all texts in one language, the built-in texts use this language too. */
const onlyLanguage = (definition: AgentDefinition): string | null => {
  const keys = Object.keys(definition.opening ?? definition.steps?.items[0]?.ask ?? {});
  return keys.length === 1 && keys[0] !== 'default' ? keys[0]! : null;
};
