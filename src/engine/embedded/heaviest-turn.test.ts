import { describe, expect, it } from 'vitest';
import type { AgentDefinition, Rule, Step } from '../../../contract/agents.ts';
import { MAX_MESSAGE_CHARACTERS } from '../../../contract/limits.ts';
import { cpuMsUntil } from '../../../test/cpu-time.ts';
import { NO_KNOWLEDGE, type TurnRequest, type TurnResult } from '../provider.ts';
import { definitionFaults } from './definition-faults.ts';
import { embeddedProvider } from './provider.ts';
import { TURN_CONTEXT } from '../../../test/turn-context.ts';

/** One turn blocks the event loop: no other request is answered before it ends. */
const ONE_TURN_MS = 200;

const turn = (definition: AgentDefinition, input: string[], state: unknown = {}): Promise<TurnResult> => {
  const request: TurnRequest = {
    agent: { id: 'agent_1', name: 'Mira', definition },
    locale: 'en',
    variables: {},
    end_user: { id: 'enduser_1', name: null, locale: null },
    history: [],
    input,
    state,
    knowledge: NO_KNOWLEDGE,
    now: new Date(),
    context: TURN_CONTEXT,
    signal: new AbortController().signal,
  };
  return Promise.resolve(embeddedProvider.turn(request));
};

const filled = (piece: string, characters: number): string =>
  piece.repeat(Math.ceil(characters / piece.length)).slice(0, characters);

/** As many rules as saving accepts. */
const savable = (rules: Rule[]): AgentDefinition => {
  let remaining = rules;
  while (definitionFaults({ rules: remaining }).length > 0)
    remaining = remaining.slice(0, Math.floor(remaining.length / 2));
  expect(remaining.length).toBeGreaterThan(2);
  return { rules: remaining };
};

/**
 * Letters that are expensive to fold: a plain one, one of two bytes, one that folds to eighteen, one that is combined.
 */
const LETTERS = ['a', 'a ', 'ا', '\u{fdfa}', 'A\u0301', '1.'];

/** A turn over the limit is measured again, because the first measurement may include the compilation of the code. */
const turnMs = async (...args: Parameters<typeof turn>): Promise<number> => {
  const first = await cpuMsUntil(() => turn(...args));
  return first < ONE_TURN_MS ? first : Math.min(first, await cpuMsUntil(() => turn(...args)));
};

const worstOf = async (definition: AgentDefinition, state?: unknown): Promise<number> => {
  let worst = 0;
  for (const letter of LETTERS) {
    const text = filled(letter, MAX_MESSAGE_CHARACTERS);
    for (const messages of [1, 10]) {
      const input = Array.from({ length: messages }, () => text);
      worst = Math.max(worst, await turnMs(definition, input, state));
    }
  }
  return worst;
};

const rulesWith = (more: (place: number) => Partial<Rule>): Rule[] =>
  Array.from({ length: 200 }, (_, place) => ({ name: `r${place}`, tag: 'x', ...more(place) }));

describe('the longest messages with the heaviest valid definition take little time', () => {
  it.each([
    '(\\w\\w?\\w?\\w?){60}!',
    '(?:a?){100}a{100}x',
    '(?:\\b\\B|a?){30}x',
    '(?:[^\\p{Lu}]?){100}[^\\p{L}]',
    '.{100}.{100}.{100}x',
  ])('the longest message takes little time with the pattern %s', async (pattern) => {
    expect(await worstOf(savable(rulesWith(() => ({ pattern }))))).toBeLessThan(ONE_TURN_MS);
  });

  it.each([
    ['long ones', (_rule: number, at: number) => `${filled('a ', 96)}b${at}`],
    ['short ones', (_rule: number, at: number) => `a${'b'.repeat(at % 3)}`],
    ['of every length', (_rule: number, at: number) => `${filled('a ', 2 * (at % 50) + 1)} b`],
    [
      'ligatures',
      (rule: number, at: number) => filled('\u{fdfa}', 98) + String.fromCodePoint(0x4e00 + rule * 100 + at),
    ],
  ])('the longest message takes little time with the words %s', async (_name, phrase) => {
    const rules = rulesWith((rule) => ({ words: Array.from({ length: 100 }, (_, at) => phrase(rule, at)) }));
    expect(await worstOf(savable(rules))).toBeLessThan(ONE_TURN_MS);
  });

  it.each(['text', 'number', 'date', 'phone', 'email', 'yes_no'] as const)(
    'the most expensive turn takes little time with a step of type %s',
    async (type) => {
      const definition = { steps: { items: [{ name: 'n', type, ask: { default: 'What?' } }] } };
      expect(await worstOf(definition, { step: 0 })).toBeLessThan(ONE_TURN_MS);
    },
  );
});

describe('a definition that an older version stored', () => {
  const nested = `${'('.repeat(6)}${'){100}'.repeat(6)}`;
  const dear = (place: number) => `[${'\\p{Ll}'.repeat(60)}${String.fromCodePoint(0x4e00 + place)}]{100}`;
  const heavy: AgentDefinition = {
    rules: [
      { name: 'nested', pattern: nested, tag: 'x' },
      ...rulesWith((place) => ({
        pattern: dear(place),
        words: Array.from({ length: 100 }, () => filled('\u{fdfa}', 100)),
      })),
      { name: 'refund', pattern: 'refund', reply: { default: 'Gladly.' } },
    ],
  };

  it('parts that are too expensive are dropped and reported in the trace, and the rest stays', async () => {
    let result: TurnResult | undefined;
    expect(await cpuMsUntil(async () => (result = await turn(heavy, ['refund'])))).toBeLessThan(ONE_TURN_MS);
    expect(result!.messages.map(({ content }) => content.text)).toEqual(['Gladly.']);
    expect(result!.trace.steps).toContainEqual(expect.objectContaining({ kind: 'rule_left_out' }));
    expect(definitionFaults(heavy).map(({ pointer }) => pointer)).toContain('/rules/6/words');
  });

  it('an answer is compared with at most as many labels as a saved definition may have', async () => {
    const label = Object.fromEntries(
      Array.from({ length: 300 }, (_, at) => [
        `${String.fromCharCode(97 + at / 26)}${String.fromCharCode(97 + (at % 26))}`,
        filled('\u{fdfa}', 4_000),
      ]),
    );
    const choices = Array.from({ length: 25 }, (_, at) => ({ id: `c${at}`, label }));
    const step: Step = { name: 'n', type: 'choice', ask: { default: 'Which?' }, choices };
    const definition = { steps: { items: [step] } };
    expect(await worstOf(definition, { step: 0 })).toBeLessThan(ONE_TURN_MS);
    expect(definitionFaults(definition)).toMatchObject([{ pointer: '/steps/items/0/choices', code: 'too_large' }]);
    expect((await turn(definition, ['25'], { step: 0 })).next).toBe('completed');
  });
});

describe('patterns that use up the budget of a turn', () => {
  it('patterns that use up the budget are reported in the trace, and the words of rules still match', async () => {
    const definition: AgentDefinition = {
      rules: [
        { name: 'slow', pattern: '(\\w\\w?\\w?\\w?){60}!', tag: 'x' },
        { name: 'slow too', pattern: '(\\w\\w?\\w?\\w?){60}\\?', tag: 'y' },
        { name: 'refund', words: ['refund'], reply: { default: 'Gladly.' } },
      ],
    };
    const result = await turn(definition, [`refund ${'a'.repeat(3_000)}`]);
    expect(result.trace.steps).toContainEqual(expect.objectContaining({ kind: 'patterns_stopped' }));
    expect(result.messages.map(({ content }) => content.text)).toEqual(['Gladly.']);
  });
});
