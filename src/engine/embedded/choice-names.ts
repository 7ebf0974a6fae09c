import type { Step } from '../../../contract/agents.ts';
import { readWords } from '../read-words.ts';

/** The folded names of each choice of a step, which are its ID and its label in every language. */
export type ChoiceNames = {
  /** The names have the index of their choice. */
  names: readonly string[][];
  /**
   * True: the step has more names than can be compared with an answer. For choices beyond the limit, only the ID or the
   * number is accepted.
   */
  tooMany: boolean;
};

/** People write at most the beginning of a long label. */
const MAX_NAME = 100;
/**
 * The limit applies to all names of one step together. Each name needs one search, so a short name counts as if it were
 * longer.
 */
export const MAX_NAMES_CHARACTERS = 20_000;
const LEAST_COUNTED = 20;

const known = new WeakMap<Step, ChoiceNames>();

/**
 * The names are computed once for each step object and within the limit, because labels may be long and in many
 * languages.
 */
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
