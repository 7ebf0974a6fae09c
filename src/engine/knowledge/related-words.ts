import { foldText, wordsOf } from './fold-text.ts';
import { RELATED } from './lexicon/related-words.ts';
import { stemWord } from './stem-word.ts';

/** The keys of words that people use in the same situation as this one. Empty for most words. */
export const relatedKeys = (stem: string): readonly string[] => tableOnce().get(stem) ?? NONE;

const NONE: readonly string[] = [];
let table: Map<string, readonly string[]> | undefined;

const tableOnce = (): Map<string, readonly string[]> => {
  if (table !== undefined) return table;
  const sets = new Map<string, Set<string>>();
  for (const line of Object.values(RELATED).flat()) {
    const stems = new Set(wordsOf(foldText(line)).map(stemWord));
    for (const stem of stems) {
      const known = sets.get(stem);
      sets.set(stem, new Set([...(known ?? []), ...stems]));
    }
  }
  table = new Map(
    [...sets].map(([stem, others]) => [stem, [...others].filter((one) => one !== stem).map((one) => `s:${one}`)]),
  );
  return table;
};
