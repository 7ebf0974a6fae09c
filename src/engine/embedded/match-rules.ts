import type { Rule } from '../../../contract/agents.ts';
import { asciiDigits } from '../knowledge/fold-text.ts';
import type { Budget } from './compile-pattern.ts';
import { type CompiledRules, plainForm } from './compile-rules.ts';
import type { Words } from './phrases.ts';

/** What all patterns may cost together in one turn: 20 to 70 ms, so that 200 slow ones cannot hold a worker. */
export const MAX_PATTERN_STEPS = 500_000;

export type Match = {
  /** The first rule that fits and has something to say or do; null: none. */
  rule: Rule | null;
  /** Rules that fit before it and only put a label on the conversation: they answer nothing. */
  labels: Rule[];
};

/** Words fit as whole words, one after another, in any spelling and with Arabic prefixes. */
export const matchRules = (compiled: CompiledRules, text: string, words: Words, budget: Budget): Match => {
  const labels: Rule[] = [];
  const { rules } = compiled;
  if (rules.length === 0) return { rule: null, labels };
  const said = placesSaid(compiled, words.map(plainForm));
  const characters = Array.from(asciiDigits(text));
  for (const [place, { rule, pattern }] of rules.entries()) {
    if (!said.has(place) && !(pattern?.(characters, budget) ?? false)) continue;
    if (rule.reply !== undefined || rule.action !== undefined) return { rule, labels };
    labels.push(rule);
  }
  return { rule: null, labels };
};

/** Places of the rules of which a phrase was said: each stretch of words is looked up, however many phrases there are. */
const placesSaid = ({ phrases, lengths, longest }: CompiledRules, words: Words): Set<number> => {
  const said = new Set<number>();
  for (const at of words.keys()) {
    let stretch = '';
    let taken = 0;
    for (const length of lengths) {
      if (at + length > words.length) break;
      for (; taken < length; taken++) stretch += taken === 0 ? words[at] : ` ${words[at + taken]}`;
      if (stretch.length > longest) break;
      for (const place of phrases.get(stretch) ?? []) said.add(place);
    }
  }
  return said;
};
