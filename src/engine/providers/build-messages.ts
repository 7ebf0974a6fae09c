import type { AssistantContent, ModelMessage, ToolContent } from 'ai';
import { type CalledTool, follows, type Memory, type RememberedMessage, shorten } from '../conversation-memory.ts';
import type { TurnMessage, TurnRequest } from '../provider.ts';
import { contentOf, NO_IMAGES, type UserParts } from './show-images.ts';

/**
 * History and memory together have this limit, and the newest messages come first. A higher limit would not fit the
 * context window of a small model.
 */
const MAX_CHARACTERS = 60_000;

export type Remembered = {
  memory: Memory;
  /** The tool call about which the person was asked, if it was made or declined in this turn. */
  confirmed: readonly CalledTool[];
  /** The names of the tools that the model has. A provider refuses a call of any other tool in the history. */
  offered: ReadonlySet<string>;
};

const NOTHING: Remembered = { memory: { said: [], turns: [] }, confirmed: [], offered: new Set() };

/**
 * Builds the conversation in the form that providers accept: the first message is from the person, the last message is
 * from the person or a tool result, roles alternate, and no message is empty. Anthropic and Google refuse any other
 * form, although an agent that opens the conversation writes before the person. A user message contains only text of
 * the person. The instructions (build-prompt.ts) or the result of a tool contain text that Parley adds.
 */
export function buildMessages(
  { history, input }: Pick<TurnRequest, 'history' | 'input'>,
  { memory, confirmed, offered }: Remembered = NOTHING,
  shown = NO_IMAGES,
): ModelMessage[] {
  const turns: ModelMessage[] = [];
  const add = (role: 'user' | 'assistant', content: string) => {
    const last = turns.at(-1);
    if (content.trim() === '') return;
    if (last?.role === role && typeof last.content === 'string') last.content += `\n\n${content}`;
    else if (last?.role === 'user' && role === 'user') last.content = [...asParts(last.content), ...asParts(content)];
    else turns.push({ role, content });
  };
  const addPerson = (message: TurnMessage) => {
    const content = contentOf(message, shown);
    if (typeof content === 'string') return add('user', content);
    const last = turns.at(-1);
    if (last?.role === 'user') last.content = [...asParts(last.content), ...content];
    else turns.push({ role: 'user', content });
  };
  const recent = history.slice(startOf(history, memory));
  const calls = callsBefore(recent, memory, offered);
  const before = earlier(recent, memory.said);
  if ((before[0] ?? recent[0])?.role !== 'end_user') add('user', '(The conversation begins.)');
  for (const { role, text } of before) add(role === 'end_user' ? 'user' : 'assistant', text);
  for (const [at, message] of recent.entries()) {
    const { role, text } = message;
    const called = calls.get(at);
    if (called && turns.at(-1)?.role === 'user') turns.push(...callsAndResults(called, `turn_${at}`));
    if (role === 'end_user') addPerson(message);
    else if (role !== 'system') add('assistant', text);
  }
  if (turns.at(-1)?.role !== 'user') {
    const nothing = confirmed.length > 0 ? 'The team has decided about a call' : 'The person has not answered';
    add('user', input.length > 0 ? input.join('\n\n') : `(${nothing}. Write the next message.)`);
  }
  return [...turns, ...callsAndResults(confirmed, 'confirmed')];
}

const asParts = (content: string | UserParts): UserParts =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content;

/** Returns the index of the oldest message that fits. */
export function startOf(history: readonly TurnMessage[], memory: Memory): number {
  let characters = JSON.stringify(memory).length;
  const start = history.findLastIndex((message) => (characters += message.text.length) > MAX_CHARACTERS);
  return Math.min(start + 1, Math.max(history.length - 1, 0));
}

/**
 * Returns the shortened messages of the person that `recent` does not contain. Each message comes after the question
 * that it answers.
 */
function earlier(recent: readonly TurnMessage[], remembered: readonly RememberedMessage[]): TurnMessage[] {
  const here = new Set(recent.map(({ text }) => shorten(text)));
  return remembered
    .filter(({ wrote }) => !here.has(wrote))
    .flatMap(({ wrote, asked }): TurnMessage[] => [
      ...(asked === undefined ? [] : [{ role: 'agent' as const, text: asked }]),
      { role: 'end_user', text: wrote },
    ]);
}

/** Returns the tool calls of earlier turns, by the index of the message that the agent wrote after them. */
function callsBefore(
  recent: readonly TurnMessage[],
  { turns }: Memory,
  offered: ReadonlySet<string>,
): Map<number, CalledTool[]> {
  const found = new Map<number, CalledTool[]>();
  let end = recent.length;
  for (const turn of turns.toReversed()) {
    const at = recent.slice(0, end).findLastIndex((message) => follows(turn, message));
    if (at < 0) continue;
    end = at;
    const called = turn.called.filter(({ tool }) => offered.has(tool));
    if (called.length > 0) found.set(at, called);
  }
  return found;
}

/** Returns the tool calls of one turn in the form in which the model made them. */
function callsAndResults(called: readonly CalledTool[], turn: string): ModelMessage[] {
  if (called.length === 0) return [];
  const calls: Exclude<AssistantContent, string> = [];
  const results: ToolContent = [];
  for (const [at, { tool: toolName, arguments: input, result }] of called.entries()) {
    const toolCallId = `${turn}_${at}`;
    calls.push({ type: 'tool-call', toolCallId, toolName, input });
    results.push({ type: 'tool-result', toolCallId, toolName, output: { type: 'text', value: result } });
  }
  return [
    { role: 'assistant', content: calls },
    { role: 'tool', content: results },
  ];
}
