import { foldText, wordsOf } from './fold-text.ts';
import { RELATED } from './lexicon/related-words.ts';
import { stemWord } from './stem-word.ts';

/**
 * Returns the keys of words that people use in the same situation as the given word. Most words have no related words.
 */
export const relatedKeys = (stem: string): readonly string[] => {
  const { situations, placesOf } = tableOnce();
  const places = placesOf.get(stem);
  if (places === undefined) return NONE;
  const keys = new Set(places.flatMap((at) => situations[at]!));
  keys.delete(`s:${stem}`);
  return [...keys];
};

const NONE: readonly string[] = [];
/**
 * The keys of each situation, and the situations of each stem. The situations share their keys, because the table stays
 * in memory.
 */
type Table = { situations: string[][]; placesOf: Map<string, number[]> };
let table: Table | undefined;

const tableOnce = (): Table => {
  if (table !== undefined) return table;
  const keyOf = new Map<string, string>();
  const placesOf = new Map<string, number[]>();
  const situations = Object.values(RELATED)
    .flat()
    .map((line, at) => {
      const stems = new Set(wordsOf(foldText(line)).map(stemWord));
      for (const stem of stems) {
        keyOf.set(stem, keyOf.get(stem) ?? `s:${stem}`);
        const places = placesOf.get(stem);
        if (places === undefined) placesOf.set(stem, [at]);
        else places.push(at);
      }
      return [...stems].map((stem) => keyOf.get(stem)!);
    });
  table = { situations, placesOf };
  return table;
};
