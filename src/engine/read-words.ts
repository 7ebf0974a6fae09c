import { foldText, wordsOf } from './knowledge/fold-text.ts';

export type Words = readonly string[];

/** Returns the folded words of a message, up to a limit. The words are computed once per message. */
export const readWords = (text: string): Words => wordsOf(foldText(text.slice(0, MAX_READ_CHARACTERS)));

/** At most this many characters of a message are read, because rules and intents apply to its beginning. */
export const MAX_READ_CHARACTERS = 2_000;

/** Creates a set of folded phrases from `phrase|phrase`. */
export const phrases = (...lists: string[]): Set<string> =>
  new Set(lists.flatMap((list) => list.split('|')).map((phrase) => wordsOf(foldText(phrase)).join(' ')));

/** Maps folded phrases to numbers, from texts such as `number: "phrase|phrase"`. */
export const phraseMap = (table: Record<number, string>): Map<string, number> => {
  const map = new Map<string, number>();
  for (const [value, list] of Object.entries(table)) {
    for (const phrase of list.split('|')) map.set(wordsOf(foldText(phrase)).join(' '), Number(value));
  }
  return map;
};
