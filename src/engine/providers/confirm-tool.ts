import type { Tool } from '../../../contract/agents.ts';
import type { MessageContent } from '../../../contract/messages.ts';
import { isRecord } from '../../kernel/is-record.ts';
import { builtInTexts } from '../embedded/built-in-texts.ts';
import { detectLanguage, languageOf } from '../embedded/detect-language.ts';
import { isPlainYes } from '../embedded/phrases.ts';
import { asciiDigits } from '../knowledge/fold-text.ts';
import type { TurnRequest } from '../provider.ts';
import { readWords } from '../read-words.ts';
import { renderText } from '../templates.ts';
import { templateVariables } from './build-prompt.ts';

/**
 * A tool call that waits for the person's Yes. The waiting call, with all its data, is part of the conversation's
 * state. Parley calls exactly what the person agreed to, and a repeated turn uses the same key.
 */
export type PendingTool = {
  tool: string;
  arguments: Record<string, unknown>;
  idempotency_key: string;
  call_id?: string;
  /** The question to the person. */
  text: string;
  /** The time of the question, in milliseconds. */
  at: number;
};

/** A Yes after this time answers another question. */
const MAX_AGE_MS = 24 * 3_600_000;

const MEMBER = 'pending_tool';

export function readPending({ state }: Pick<TurnRequest, 'state'>): PendingTool | null {
  const pending = isRecord(state) ? state[MEMBER] : null;
  if (!isRecord(pending) || !isRecord(pending['arguments'])) return null;
  const texts = [pending['tool'], pending['idempotency_key'], pending['text']];
  return texts.every((text) => typeof text === 'string') && typeof pending['at'] === 'number'
    ? (pending as PendingTool)
    : null;
}

export const withPending = (state: unknown, pending: PendingTool): object => ({
  ...(isRecord(state) && state),
  [MEMBER]: pending,
});

export function withoutPending(state: unknown): unknown {
  if (!isRecord(state) || !Object.hasOwn(state, MEMBER)) return state;
  const { [MEMBER]: _pending, ...rest } = state;
  return Object.keys(rest).length === 0 ? null : rest;
}

/**
 * Returns the tool if the person's next message after the question is a plain Yes and no other message came in between.
 * In all other cases, the function returns null. The first message decides, because more messages may have arrived
 * after the tool was called.
 */
export function confirmedTool(pending: PendingTool, { agent, history, input, now }: TurnRequest): Tool | null {
  const tool = agent.definition.tools?.find(({ name, confirm }) => name === pending.tool && confirm !== undefined);
  const before = history.findLast(({ role }) => role !== 'end_user');
  const isAnswer = before?.role === 'agent' && before.text === pending.text;
  const isRecent = now.getTime() - pending.at < MAX_AGE_MS;
  return tool && isAnswer && isRecent && saysYes(input[0] ?? '') ? tool : null;
}

/** On a channel without buttons, the choices are a numbered list. */
const saysYes = (text: string): boolean => /^\s*1\s*[.)]?\s*$/.test(asciiDigits(text)) || isPlainYes(readWords(text));

export function askFirst(
  tool: Tool,
  args: Record<string, unknown>,
  request: TurnRequest,
): MessageContent & { text: string } {
  const known = languageOf(request.locale) ?? languageOf(request.end_user.locale);
  const language = detectLanguage(request.input.slice(-10).join('\n').slice(0, 4_000), known);
  const variables = { ...templateVariables(request), arguments: args };
  const { yes, no } = builtInTexts(language);
  return {
    type: 'choices',
    text: renderText(tool.confirm, language ?? request.locale, variables)?.trim() || `${tool.name}?`,
    choices: [
      { id: 'yes', label: yes },
      { id: 'no', label: no },
    ],
  };
}
