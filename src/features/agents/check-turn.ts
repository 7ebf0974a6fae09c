import { isDeepStrictEqual } from 'node:util';
import type { PlaygroundTurn } from '../../../contract/dashboard/agents.ts';
import type { CaseResult, Expectation } from '../../../contract/dashboard/test-cases.ts';
import type { RunResult } from '../../../contract/results.ts';
import { detectLanguage, isSameScript } from '../../engine/embedded/detect-language.ts';
import { readState } from '../../engine/embedded/read-state.ts';
import { foldText, wordsOf } from '../../engine/knowledge/fold-text.ts';

type TurnOfResult = CaseResult['turns'][number];
type Fault = TurnOfResult['faults'][number];
type Played = Pick<TurnOfResult, 'said' | 'cites' | 'calls'> & {
  turn: PlaygroundTurn;
  /** The tool calls that need an approval. */
  asked: TurnOfResult['calls'];
  /** The current values of the result. */
  data: RunResult['data'];
};
type Words = string | number;

/**
 * Lists the expectations that a turn does not meet. Each expectation is compared with the messages and steps of the
 * turn. The file judge-turn.ts checks the rubric.
 */
export function checkTurn(expect: Expectation, played: Played): Fault[] {
  const found: Fault[] = [];
  for (const name of Object.keys(CHECKS) as Checked[]) {
    const expected = expect[name];
    if (expected === undefined) continue;
    const fault = (CHECKS[name] as Check<unknown>)(expected, played);
    if (fault) found.push({ expectation: name, ...fault });
  }
  return found;
}

/** Null: the turn meets the expectation. */
type Check<T> = (expected: T, played: Played) => Omit<Fault, 'expectation'> | null;

type Checked = Exclude<keyof Expectation, 'rubric'>;

const CHECKS: { [N in Checked]: Check<Required<Expectation>[N]> } = {
  says: (expected, { said }) =>
    lacking(
      listOf(expected).filter((words) => !isSaid(words, said)),
      said,
    ),
  says_any: (expected, { said }) => (expected.some((words) => isSaid(words, said)) ? null : { expected, found: said }),
  says_not: (expected, { said }) =>
    lacking(
      listOf(expected).filter((words) => isSaid(words, said)),
      said,
    ),
  cites: (expected, { cites }) => {
    const names = new Set(cites.map(spelled));
    return lacking(
      listOf(expected).filter((name) => !names.has(spelled(name))),
      cites,
    );
  },
  slots: (expected, { turn }) => {
    const { slots } = readState(turn.state);
    const wrong = Object.entries(expected).filter(([name, value]) => !isSame(value, slots[name]));
    return wrong.length === 0 ? null : { expected: Object.fromEntries(wrong), found: slots };
  },
  result: (expected, { data }) => {
    const wrong = Object.entries(expected).filter(
      ([name, value]) => !isSame(value, Object.hasOwn(data, name) ? data[name] : null),
    );
    return wrong.length === 0 ? null : { expected: Object.fromEntries(wrong), found: data };
  },
  calls: (expected, { calls }) => lackingCalls(expected, calls),
  approvals: (expected, { asked }) => lackingCalls(expected, asked),
  knows: (expected, { cites, calls, turn }) => {
    const missed = turn.trace.provider === 'embedded' ? readState(turn.state).misses > 0 : true;
    return same(expected, !(cites.length === 0 && calls.length === 0 && missed));
  },
  hands_off: (expected, { turn }) => same(expected, turn.next === 'handed_off'),
  completes: (expected, { turn }) => same(expected, turn.next === 'completed'),
  opts_out: (expected, { turn }) => same(expected, turn.opted_out),
  language: (expected, { said }) => {
    const found = detectLanguage(said.join('\n'), null);
    return found !== null && isSameScript(found, expected) ? null : { expected, found };
  },
  max_messages: (expected, { said }) => (said.length <= expected ? null : { expected, found: said.length }),
};

function lackingCalls(expected: Required<Expectation>['calls'], calls: Played['calls']) {
  if (expected.length === 0) return calls.length === 0 ? null : { expected, found: calls };
  const fitting = ({ tool, arguments: args = {} }: (typeof expected)[number]): boolean =>
    calls.some((call) => call.tool === tool && fits(args, call.arguments));
  return lacking(
    expected.filter((one) => !fitting(one)),
    calls,
  );
}

const same = <T>(expected: T, found: T) => (expected === found ? null : { expected, found });
const lacking = (expected: unknown[], found: unknown) => (expected.length === 0 ? null : { expected, found });
const listOf = <T>(value: T | T[]): T[] => (Array.isArray(value) ? value : [value]);

/** The texts are compared as in the engine, so case, accents, digits of any script and white space do not matter. */
const spelled = (text: string): string => foldText(text).replaceAll(/\s+/g, ' ').trim();

function isSaid(words: Words, answers: readonly string[]): boolean {
  const texts = answers.map(spelled);
  if (typeof words === 'string') return texts.some((text) => contains(text, spelled(words)));
  return texts.some((text) => wordsOf(text).some((word) => Number(word.replaceAll(',', '')) === words));
}

const DIGIT = /\d/;

const joins = (outside: string | undefined, edge: string): boolean =>
  outside !== undefined && DIGIT.test(outside) && DIGIT.test(edge);

/** The text `8:00` does not match in `18:00`, and `1` does not match in `12`. */
function contains(text: string, words: string): boolean {
  for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + 1)) {
    if (!joins(text[at - 1], words[0]!) && !joins(text[at + words.length], words.at(-1)!)) return true;
  }
  return false;
}

const isSame = (expected: unknown, found: unknown): boolean =>
  typeof expected === 'string' && typeof found === 'string'
    ? spelled(expected) === spelled(found)
    : isDeepStrictEqual(expected, found);

/** True if each named argument has the expected value. The call may have arguments that the test does not name. */
export const fits = (named: Record<string, unknown>, given: Record<string, unknown>): boolean =>
  Object.entries(named).every(([name, value]) => isSame(value, given[name]));
