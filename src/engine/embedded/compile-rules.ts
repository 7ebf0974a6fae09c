import type { AgentDefinition, Rule } from '../../../contract/agents.ts';
import type { DefinitionFault } from '../provider.ts';
import { withoutArabicClitics } from '../knowledge/stem-arabic.ts';
import { compilePattern, newAllowance, type Pattern } from './compile-pattern.ts';
import { readWords } from '../read-words.ts';
import { PatternFault } from './read-pattern.ts';

/**
 * Compiles rules for matching, once for each definition object, because a loaded agent has one object for each version.
 * The function leaves out rules that would take too much time, and reports them. A save refuses the same rules, so only
 * a definition that an older version stored can lose rules.
 */
export type CompiledRules = {
  rules: readonly { rule: Rule; pattern: Pattern | null }[];
  /** The indexes of the rules to which each phrase belongs. */
  phrases: ReadonlyMap<string, readonly number[]>;
  /** The numbers of words that phrases have, each number once and in ascending order. */
  lengths: readonly number[];
  /** The length of the longest phrase, in characters. */
  longest: number;
  faults: readonly DefinitionFault[];
};

/**
 * The words of all rules together have this limit. The folding of the words takes about 5 ms, and 70 ms for the worst
 * input.
 */
export const MAX_WORDS_CHARACTERS = 50_000;

const compiled = new WeakMap<AgentDefinition, CompiledRules>();

export const rulesOf = (definition: AgentDefinition): CompiledRules => {
  let rules = compiled.get(definition);
  if (rules === undefined) {
    rules = compileRules(definition.rules ?? []);
    compiled.set(definition, rules);
  }
  return rules;
};

const compileRules = (rules: readonly Rule[]): CompiledRules => {
  const faults: DefinitionFault[] = [];
  const allowance = newAllowance();
  const words = collectPhrases(rules, faults);
  const withPatterns = rules.map((rule, place) => {
    if (rule.pattern === undefined) return { rule, pattern: null };
    try {
      return { rule, pattern: compilePattern(rule.pattern, allowance) };
    } catch (error) {
      if (!(error instanceof PatternFault)) throw error;
      faults.push({ pointer: `/rules/${place}/pattern`, code: 'pattern', detail: error.message });
      return { rule, pattern: null };
    }
  });
  return { rules: withPatterns, ...words, faults };
};

const collectPhrases = (
  rules: readonly Rule[],
  faults: DefinitionFault[],
): Pick<CompiledRules, 'phrases' | 'lengths' | 'longest'> => {
  const phrases = new Map<string, number[]>();
  const lengths = new Set<number>();
  let left = MAX_WORDS_CHARACTERS;
  for (const [place, rule] of rules.entries()) {
    const list = rule.words ?? [];
    left -= list.reduce((sum, phrase) => sum + phrase.length, 0);
    if (left < 0) {
      const most = MAX_WORDS_CHARACTERS.toLocaleString('en');
      const detail = `The words of all rules have more than ${most} characters together.`;
      faults.push({ pointer: `/rules/${place}/words`, code: 'too_large', detail });
      break;
    }
    for (const phrase of list) {
      const plain = readWords(phrase).map(plainForm);
      if (plain.length === 0) continue;
      lengths.add(plain.length);
      const key = plain.join(' ');
      const places = phrases.get(key);
      if (places === undefined) phrases.set(key, [place]);
      else if (places.at(-1) !== place) places.push(place);
    }
  }
  const longest = Math.max(0, ...[...phrases.keys()].map((phrase) => phrase.length));
  return { phrases, longest, lengths: [...lengths].toSorted((a, b) => a - b) };
};

/**
 * Treats forms of a word as equal (refund = refunds, استرجاع = الاسترجاع = للاسترجاع), because authors do not list
 * every form.
 */
export const plainForm = (word: string): string => {
  if (/^[a-z]{4,}$/.test(word)) return word.replace(/([^s])s$/, '$1');
  return withoutArabicClitics(word);
};
