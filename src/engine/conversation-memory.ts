import { isRecord } from '../kernel/is-record.ts';
import { smallTalkIn } from './embedded/phrases.ts';
import type { TurnMessage } from './provider.ts';
import { readWords } from './read-words.ts';

/**
 * The data of earlier turns that the requests of an agent with a model no longer contain in full: tool calls with their
 * results, and messages of the person that are too old for the history. The memory is part of the conversation's state,
 * has a fixed limit, and needs no model. The embedded agent does not read the memory and returns it unchanged.
 */
export type Memory = { said: RememberedMessage[]; turns: RememberedTurn[] };

/** A shortened message of the person. `asked`: the agent's question, if the short message answers it. */
export type RememberedMessage = { wrote: string; asked?: string };

/**
 * A remembered tool call with its result. Remembered messages and tool calls become parts of a message type that no
 * person can write.
 */
export type CalledTool = { tool: string; arguments: Record<string, unknown>; result: string };

/** `answer`: the beginning of the agent's message after the tool calls. */
export type RememberedTurn = { answer: string; called: CalledTool[] };

const MEMBER = 'memory';
export const MAX_MEMORY_CHARACTERS = 6_000;
export const MAX_CALLED_CHARACTERS = 16_000;
const MAX_WROTE_CHARACTERS = 400;
const MAX_ASKED_CHARACTERS = 200;
const MAX_RESULT_CHARACTERS = 6_000;
const ANSWER_CHARACTERS = 200;
/**
 * The newest messages are in every request. Older messages are stored in the memory before the request excludes them.
 */
const NEWEST_MESSAGES = 20;
/** A message with fewer characters may be unclear without the question before it. */
const SHORT_CHARACTERS = 60;
/** The person's first messages state the subject of the conversation, so they are never dropped. */
const FIRST_MESSAGES = 2;

export function readMemory(state: unknown): Memory {
  const { said, turns } = Object(isRecord(state) ? state[MEMBER] : null) as Record<string, unknown>;
  return {
    said: Array.isArray(said)
      ? said.filter((one): one is RememberedMessage => typeof Object(one).wrote === 'string')
      : [],
    turns: Array.isArray(turns) ? turns.filter(isTurn) : [],
  };
}

export function withMemory(state: unknown, memory: Memory): unknown {
  if (memory.said.length === 0 && memory.turns.length === 0) return state;
  return { ...(isRecord(state) && state), [MEMBER]: memory };
}

/**
 * Stores the messages that a request no longer contains: the messages before `start`, and all except the newest
 * NEWEST_MESSAGES.
 */
export function rememberMessages(memory: Memory, history: readonly TurnMessage[], start: number): Memory {
  const old = history.slice(0, Math.max(start, history.length - NEWEST_MESSAGES));
  const known = new Set(memory.said.map(({ wrote }) => wrote));
  const added = old.flatMap(({ role, text }, at): RememberedMessage[] => {
    const wrote = shorten(text);
    if (role !== 'end_user' || known.has(wrote) || saysNothing(text)) return [];
    known.add(wrote);
    const asked = wrote.length <= SHORT_CHARACTERS ? questionIn(history[at - 1]) : undefined;
    return [{ wrote, ...(asked !== undefined && { asked }) }];
  });
  return added.length === 0 ? memory : { ...memory, said: condense([...memory.said, ...added]) };
}

export const shorten = (text: string): string => text.trim().slice(0, MAX_WROTE_CHARACTERS);

/** The memory drops the oldest turns to make room for the new turn. */
export function rememberCalls(memory: Memory, answer: string, called: readonly CalledTool[]): Memory {
  if (called.length === 0 || answer.trim() === '') return memory;
  const turn = {
    answer: answer.slice(0, ANSWER_CHARACTERS),
    called: called.map((one) => ({ ...one, result: one.result.slice(0, MAX_RESULT_CHARACTERS) })),
  };
  const all = [...memory.turns, turn];
  let characters = 0;
  const start = all.findLastIndex((one) => (characters += sizeOf(one)) > MAX_CALLED_CHARACTERS);
  return { ...memory, turns: all.slice(start + 1) };
}

/**
 * True if this message of the agent is the first message after the tool calls. A long message is sent in several parts,
 * so only its beginning is compared.
 */
export const follows = ({ answer }: RememberedTurn, { role, text }: TurnMessage): boolean =>
  role === 'agent' && text !== '' && answer.startsWith(text.slice(0, ANSWER_CHARACTERS));

/** Leaves out the least informative messages until the other messages fit. */
function condense(messages: readonly RememberedMessage[]): RememberedMessage[] {
  const ranked = messages.map((one, at) => ({ one, at, rank: rankOf(one, at) }));
  let characters = messages.reduce((sum, one) => sum + sizeOf(one), 0);
  const least = ranked.toSorted((a, b) => a.rank - b.rank || a.at - b.at);
  const dropped = new Set<number>();
  for (const { one, at } of least) {
    if (characters <= MAX_MEMORY_CHARACTERS) break;
    dropped.add(at);
    characters -= sizeOf(one);
  }
  return messages.filter((_, at) => !dropped.has(at));
}

/** Numbers, addresses and names count most, then the length. */
const FACT = /[\p{L}\p{N}._-]*\p{N}[\p{L}\p{N}._-]*|\S+@\S+|(?<=\S\s)\p{Lu}\p{L}+/gu;
const rankOf = ({ wrote, asked }: RememberedMessage, at: number): number =>
  (at < FIRST_MESSAGES ? 100 : 0) +
  2 * (wrote.match(FACT)?.length ?? 0) +
  (asked === undefined ? 0 : 2) +
  Math.min(3, wrote.length / 100);

const saysNothing = (text: string): boolean => {
  const words = readWords(text.slice(0, MAX_WROTE_CHARACTERS));
  return words.length === 0 || smallTalkIn(words) !== null;
};

function questionIn(before: TurnMessage | undefined): string | undefined {
  if (before?.role !== 'agent') return undefined;
  const { text } = before;
  const end = Math.max(text.lastIndexOf('?'), text.lastIndexOf('؟'));
  if (end < 0) return undefined;
  // An expression for the whole question would take the square of the length of a text without punctuation.
  const start = text
    .slice(0, end)
    .split(/[.!?؟।\n]/u)
    .at(-1)!;
  return (start + text[end]!).trim().slice(0, MAX_ASKED_CHARACTERS);
}

const sizeOf = (value: unknown): number => JSON.stringify(value).length;

const isTurn = (value: unknown): value is RememberedTurn =>
  isRecord(value) &&
  typeof value['answer'] === 'string' &&
  Array.isArray(value['called']) &&
  value['called'].every((one) => typeof Object(one).tool === 'string' && typeof Object(one).result === 'string');
