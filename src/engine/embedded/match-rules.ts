import type { Rule } from '../../../contract/agents.ts';
import { asciiDigits } from '../knowledge/fold-text.ts';
import type { Budget } from './compile-pattern.ts';
import { type CompiledRules, plainForm } from './compile-rules.ts';
import type { Words } from '../read-words.ts';

/**
 * All patterns in one turn together have this cost limit (20 to 70 ms), so that 200 slow patterns cannot block a
 * worker.
 */
export const MAX_PATTERN_STEPS = 500_000;

export type Match = {
  /** The first matching rule with a reply or an action. Null if no rule matches. */
  rule: Rule | null;
  /** Earlier matching rules that only add tags. */
  labels: Rule[];
};

/** Phrases match as whole words in sequence, in any spelling and with Arabic prefixes. */
export const matchRules = (compiled: CompiledRules, text: string, words: Words, budget: Budget): Match => {
  const labels: Rule[] = [];
  const { rules } = compiled;
  if (rules.length === 0) return { rule: null, labels };
  const places = placesSaid(compiled, words.map(plainForm));
  const characters = Array.from(asciiDigits(text));
  for (const [place, { rule, pattern }] of rules.entries()) {
    if (!places.has(place) && !(pattern?.(characters, budget) ?? false)) continue;
    if (rule.reply !== undefined || rule.action !== undefined) return { rule, labels };
    labels.push(rule);
  }
  return { rule: null, labels };
};

/**
 * Returns the indexes of the rules whose phrase occurs. Each sequence of words is looked up, so the time does not grow
 * with the number of phrases.
 */
const placesSaid = ({ phrases, lengths, longest }: CompiledRules, words: Words): Set<number> => {
  const found = new Set<number>();
  for (const at of words.keys()) {
    let stretch = '';
    let steps = 0;
    for (const length of lengths) {
      if (at + length > words.length) break;
      for (; steps < length; steps++) stretch += steps === 0 ? words[at] : ` ${words[at + steps]}`;
      if (stretch.length > longest) break;
      for (const place of phrases.get(stretch) ?? []) found.add(place);
    }
  }
  return found;
};
