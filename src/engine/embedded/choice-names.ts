import type { Step } from '../../../contract/agents.ts';
import { readWords } from '../read-words.ts';

/** The names of each choice of a step, folded: its id, and its label in every language. */
export type ChoiceNames = {
  /** Indexed by the position of the choice. */
  names: readonly string[][];
  /**
   * True: the step has more names than an answer can be compared with. The choices beyond the limit are answered by id
   * or number only.
   */
  tooMany: boolean;
};

/** People write no more than the beginning of a long label. */
const MAX_NAME = 100;
/**
 * Limit for all names of one step together. A short name counts as if it were longer, since each name costs one search.
 */
export const MAX_NAMES_CHARACTERS = 20_000;
const LEAST_COUNTED = 20;

const known = new WeakMap<Step, ChoiceNames>();

/** Computed once for each step object and never beyond its limit: a label may be long, and in many languages. */
export const namesOf = (step: Step): ChoiceNames => {
  const before = known.get(step);
  if (before !== undefined) return before;
  let left = MAX_NAMES_CHARACTERS;
  const take = (name: string): string[] => {
    left -= Math.max(LEAST_COUNTED, Math.min(name.length, MAX_NAME));
    return left < 0 ? [] : [readWords(name.slice(0, MAX_NAME)).join(' ')];
  };
  const names = (step.choices ?? []).map(({ id, label }) => [id, ...Object.values(label)].flatMap(take));
  const made = { names, tooMany: left < 0 };
  known.set(step, made);
  return made;
};
