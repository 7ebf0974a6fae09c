import { isDeepStrictEqual } from 'node:util';
import type { AgentDefinition } from '../../../contract/agents.ts';
import { NO_RESULT, type ResultField, type ResultValue, type RunResult } from '../../../contract/results.ts';
import { readState } from '../../engine/embedded/read-state.ts';
import { timestamp } from '../../kernel/clock.ts';
import { fitsField, resultFieldsOf } from './result-fields.ts';

/** The result and the provider's state before a turn of the run. */
export type ResultBefore = { result: RunResult | null; state: unknown };

/** The state of the run after a turn. */
export type ResultAfter = {
  state: unknown;
  /** True: the run ends, or the conversation is handed over. */
  isOver: boolean;
  /** The values that a model found. Null: the model could not fill the fields. */
  found?: Readonly<Record<string, unknown>> | null;
};

/**
 * If the turn changes nothing, the function returns the same object. The same object as before if the turn changes
 * nothing.
 */
export function collectResult(
  definition: AgentDefinition,
  before: ResultBefore,
  { state, isOver, found = {} }: ResultAfter,
  now: Date,
): RunResult {
  const fields = resultFieldsOf(definition);
  const old = before.result ?? NO_RESULT;
  const answers = answersOf(before.state, state);
  const values = fields.flatMap((field): [string, ResultValue][] => {
    const value = valueOf(field, answers, found ?? {}, old);
    return value === undefined ? [] : [[field.name, value]];
  });
  const data = Object.fromEntries(values);
  const missing = fields.filter(({ name, required }) => required && !Object.hasOwn(data, name)).map(({ name }) => name);
  const isFull = fields.every(({ name }) => Object.hasOwn(data, name) || answers.given.has(name));
  const isComplete = missing.length === 0 && (isOver || isFull);
  const status =
    found === null && !isComplete ? 'failed' : values.length === 0 ? 'none' : isComplete ? 'complete' : 'partial';
  const { updated_at: _, ...same } = old;
  if (isDeepStrictEqual({ status, data, missing }, same)) return old;
  return { status, data, missing, updated_at: timestamp(now.getTime()) };
}

/** Returns the declared fields that neither steps nor an earlier turn have filled, and that the person did not skip. */
export function openFields({ result }: AgentDefinition, before: ResultBefore, state: unknown): ResultField[] {
  const answers = answersOf(before.state, state);
  return (result?.fields ?? []).filter(
    (field) => !answers.given.has(field.name) && valueOf(field, answers, {}, before.result ?? NO_RESULT) === undefined,
  );
}

/** `given`: the answers of the steps, with null for a skipped step. `dropped`: the fields whose steps ask again. */
type Answers = { given: ReadonlyMap<string, ResultValue | null>; dropped: ReadonlySet<string> };

const NO_ANSWERS: Answers = { given: new Map(), dropped: new Set() };

/**
 * Steps that ended before this turn belong to an earlier run, or the result already has their answers. A message such
 * as "thanks" after an order does not create a second order.
 */
function answersOf(stateBefore: unknown, stateAfter: unknown): Answers {
  const [before, after] = [readState(stateBefore), readState(stateAfter)];
  if (before.steps_done && after.steps_done && isDeepStrictEqual(before.slots, after.slots)) return NO_ANSWERS;
  const given = new Map(Object.entries(after.slots));
  return { given, dropped: new Set(Object.keys(before.slots).filter((name) => !given.has(name))) };
}

function valueOf(
  field: ResultField,
  { given, dropped }: Answers,
  found: Readonly<Record<string, unknown>>,
  { data }: RunResult,
): ResultValue | undefined {
  const { name } = field;
  if (given.has(name)) {
    const answer = given.get(name);
    return fitsField(field, answer) ? answer : undefined;
  }
  const known = dropped.has(name) ? {} : data;
  return [found, known]
    .map((from) => (Object.hasOwn(from, name) ? from[name] : undefined))
    .find((value) => fitsField(field, value));
}
