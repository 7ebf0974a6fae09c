import type { AgentDefinition, Rule } from '../../../contract/agents.ts';
import { asciiDigits } from '../knowledge/fold-text.ts';
import { withoutArabicClitics } from '../knowledge/stem-arabic.ts';
import { type Budget, compilePattern, type Pattern, PatternFault } from './compile-pattern.ts';
import { MAX_READ_CHARACTERS, readWords, type Words } from './phrases.ts';

/** Rules of one definition, ready to be matched; kept as long as the definition object itself is. */
export type CompiledRule = { rule: Rule; phrases: string[]; pattern: Pattern | null };

/** What all patterns may cost together in one message: about 10 ms, so that 200 slow ones cannot hold a worker. */
const MAX_PATTERN_STEPS = 300_000;

const compiled = new WeakMap<AgentDefinition, CompiledRule[]>();

export const rulesOf = (definition: AgentDefinition): CompiledRule[] => {
  let rules = compiled.get(definition);
  if (rules === undefined) {
    rules = (definition.rules ?? []).map(compileRule);
    compiled.set(definition, rules);
  }
  return rules;
};

export type Match = {
  /** The first rule that fits and has something to say or do; null: none. */
  rule: Rule | null;
  /** Rules that fit before it and only put a label on the conversation: they answer nothing. */
  labels: Rule[];
};

/** Words fit as whole words, one after another, in any spelling and with Arabic prefixes. */
export const matchRules = (rules: readonly CompiledRule[], text: string, words: Words): Match => {
  const labels: Rule[] = [];
  if (rules.length === 0) return { rule: null, labels };
  const spoken = ` ${words.map(plainForm).join(' ')} `;
  const budget: Budget = { steps: MAX_PATTERN_STEPS };
  const characters = Array.from(asciiDigits(text.slice(0, MAX_READ_CHARACTERS)));
  for (const { rule, phrases, pattern } of rules) {
    const fits = phrases.some((phrase) => spoken.includes(phrase)) || (pattern?.(characters, budget) ?? false);
    if (!fits) continue;
    if (rule.reply !== undefined || rule.action !== undefined) return { rule, labels };
    labels.push(rule);
  }
  return { rule: null, labels };
};

const compileRule = (rule: Rule): CompiledRule => ({
  rule,
  phrases: (rule.words ?? [])
    .map((phrase) => readWords(phrase).map(plainForm).join(' '))
    .filter((phrase) => phrase !== '')
    .map((phrase) => ` ${phrase} `),
  pattern: rule.pattern === undefined ? null : compileOrNever(rule.pattern),
});

/** A pattern that should have been refused when the agent was saved never fits, rather than failing every turn. */
const compileOrNever = (source: string): Pattern | null => {
  try {
    return compilePattern(source);
  } catch (error) {
    if (error instanceof PatternFault) return null;
    throw error;
  }
};

/** refund = refunds, استرجاع = الاسترجاع = للاسترجاع: nobody lists every form. */
const plainForm = (word: string): string => {
  if (/^[a-z]{4,}$/.test(word)) return word.replace(/([^s])s$/, '$1');
  return withoutArabicClitics(word);
};
