import { ARABIC } from './fold-text.ts';
import { withoutArabicClitics } from './stem-arabic.ts';
import { knownWords, type Term, isWeakWord } from './analyze-text.ts';
import type { PausableWork } from './pausable-work.ts';

/**
 * Finds the intended word for an unknown word. The function corrects only words that are in no document and in no list.
 * The function never corrects numbers or short words, in which one changed letter makes another word.
 */
export type Correction = { stem: string; term: Term | null; weak: boolean };

export function* correctTypo(
  term: Term,
  vocabulary: ReadonlyMap<string, readonly string[]>,
): PausableWork<Correction[]> {
  const written = withoutArabicClitics(term.word);
  if (/\d/.test(written) || written.length < 4) return [];
  const sound = soundOf(written);
  // In a word of four letters, only a letter that sounds similar may differ.
  const allowed = written.length >= 8 ? 2 : written.length >= 5 ? 1 : 0;
  const found: (Correction & { distance: number })[] = [];
  const consider = (candidate: string, make: () => Correction): void => {
    const word = withoutArabicClitics(candidate);
    if (sound !== null && soundOf(word) === sound) {
      found.push({ ...make(), distance: 0 });
      return;
    }
    if (Math.abs(word.length - written.length) > allowed || word.length < 4) return;
    // Most typing errors keep the first letter. If all letters could differ, short words would become other words.
    if (
      word[0] !== written[0] &&
      (word.length < 6 || word.slice(1) !== written.slice(1)) &&
      !swappedStart(word, written)
    )
      return;
    const distance = editDistance(word, written, allowed);
    if (distance <= allowed) found.push({ ...make(), distance });
  };
  let seen = 0;
  for (const [stem, words] of vocabulary) {
    if (++seen % A_STEP === 0) yield;
    for (const word of words) consider(word, () => ({ stem, term: null, weak: false }));
  }
  for (const known of knownWords())
    consider(known.word, () => ({ stem: known.stem, term: known, weak: isWeakWord(known) }));
  const nearest = Math.min(...found.map((one) => one.distance));
  return found.filter((one) => one.distance === nearest).slice(0, MAX_MENDED);
}

const MAX_MENDED = 8;
/** The number of words of the vocabulary that one step examines. */
const A_STEP = 500;

/** Replaces Arabic letters that sound the same to many people. */
const soundOf = (word: string): string | null =>
  ARABIC.test(word) ? word.replace(/ظ/g, 'ض').replace(/ص/g, 'س').replace(/ط/g, 'ت').replace(/[ذز]/g, 'د') : null;

const swappedStart = (a: string, b: string): boolean => a[0] === b[1] && a[1] === b[0];

/**
 * Computes the Damerau–Levenshtein distance, in which swapped neighboring letters count once. The computation stops
 * when the distance exceeds the limit.
 */
export const editDistance = (a: string, b: string, limit: number): number => {
  let [before, row] = [[] as number[], Array.from({ length: b.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    let least = i;
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let cost = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) cost = Math.min(cost, before[j - 2]! + 1);
      next.push(cost);
      if (cost < least) least = cost;
    }
    if (least > limit) return limit + 1;
    [before, row] = [row, next];
  }
  return row[b.length]!;
};
