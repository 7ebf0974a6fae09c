import type { Step } from '../../../contract/agents.ts';
import { readWords } from './phrases.ts';

/** What each choice of a step may be called, folded: its id, and its label in every language. */
export type ChoiceNames = {
  /** By the place of the choice. */
  names: readonly string[][];
  /** True: more names than answers can be compared with; the rest is answered by id or number alone. */
  tooMany: boolean;
};

/** Nobody writes more than the beginning of a label. */
const MAX_NAME = 100;
/** Of all names of one step; a short one counts as if it were longer, since each has to be looked for. */
export const MAX_NAMES_CHARACTERS = 20_000;
const LEAST_COUNTED = 20;

const known = new WeakMap<Step, ChoiceNames>();

/** Made once for each step object, and never more than its bound: a label may be long, and in many languages. */
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
