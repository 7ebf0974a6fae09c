import { type Term, termsOf } from './analyze-text.ts';
import { foldText, type Writing, writingOf, wordsOf } from './fold-text.ts';
import { correctTypo } from './correct-typo.ts';
import { addTermWays, type Demand, WORTH } from './read-question.ts';
import { initialsOf, soundDistance, soundOfLatin, soundOfNative } from './sound-alike.ts';
import { stemWord } from './stem-word.ts';
import type { PausableWork } from './pausable-work.ts';

/** The words of the documents convert a question to the spelling that the documents use. */
export class Vocabulary {
  /** The words that belong to each stem. */
  private readonly words = new Map<string, string[]>();
  /** The scripts in which the documents are written. */
  readonly writings = new Set<Writing>();
  bytes = 0;

  add(term: Term): void {
    if (/^\d/.test(term.word)) return;
    this.writings.add(writingOf(term.word));
    const words = this.words.get(term.stem);
    if (words === undefined) this.words.set(term.stem, [term.word]);
    else if (words.length < 6 && !words.includes(term.word)) words.push(term.word);
    else return;
    this.bytes += WORD_BYTES + 2 * term.word.length;
  }

  /** Handles "cheque book" in a question about documents with "chequebook", and the other way round. */
  joinWords(question: string): string {
    const words = wordsOf(foldText(question));
    const joined: string[] = [];
    for (let at = 0; at < words.length; at++) {
      const [word, next] = [words[at]!, words[at + 1]];
      if (next !== undefined && word.length >= 3 && next.length >= 2 && this.words.has(stemWord(word + next))) {
        joined.push(word + next);
        at++;
      } else joined.push(this.splitWord(word) ?? word);
    }
    return joined.join(' ');
  }

  /** Adds the intended words to a demand if the documents do not contain its own words. */
  *mend(demand: Demand, isKnown: (key: string) => boolean): PausableWork<void> {
    const { term } = demand;
    if (term === null || demand.force !== 'must' || term.span > 1) return;
    for (const key of demand.ways.keys()) if (!key.startsWith('f:') && isKnown(key)) return;
    const alike = yield* this.soundingLike(term.word);
    // If several words sound alike, a match affects the ranking but is not enough for an answer.
    const worth = alike.length === 1 ? WORTH.typo : WORTH.oneOfSeveral;
    for (const word of alike) addTermWays(demand.ways, termsOf(word)[0]!, worth);
    demand.intended = alike;
    if (alike.length > 0 || term.means.length > 0 || term.kindOf.length > 0) return;
    for (const correction of yield* correctTypo(term, this.words)) {
      if (correction.term !== null) addTermWays(demand.ways, correction.term, WORTH.typo);
      else demand.ways.set(`s:${correction.stem}`, WORTH.typo);
      demand.intended = [...(demand.intended ?? []), correction.term?.word ?? this.words.get(correction.stem)![0]!];
      if (correction.weak) demand.force = 'may';
    }
  }

  /** Finds the words of the documents in another script that sound most similar to the given word. */
  private *soundingLike(word: string): PausableWork<string[]> {
    const isLatin = /[a-z]/.test(word);
    const others: readonly Writing[] = isLatin ? ['arabic', 'devanagari'] : ['other'];
    if (!others.some((writing) => this.writings.has(writing))) return [];
    const [own, other] = isLatin ? [soundOfLatin, soundOfNative] : [soundOfNative, soundOfLatin];
    const sound = own(word);
    // The sound of three letters is not enough for a match, but the letters may be initials.
    const isShort = isLatin && word.length <= MAX_INITIALS && this.writings.has('devanagari');
    if (sound === null && !isShort) return [];
    const found: { word: string; distance: number }[] = [];
    let seen = 0;
    for (const words of this.words.values()) {
      if (++seen % A_STEP === 0) yield;
      for (const candidate of words) {
        // A word with a very different length is another word, which is cheap to check first.
        if (candidate.length > 2 * word.length + 2 || word.length > 2 * candidate.length + 2) continue;
        if (isShort && candidate.length <= 3 * MAX_INITIALS && initialsOf(candidate) === word) return [candidate];
        if (sound === null) continue;
        const otherSound = other(candidate);
        const distance = otherSound === null ? null : soundDistance(sound, otherSound);
        if (distance !== null) found.push({ word: candidate, distance });
      }
    }
    const nearest = Math.min(...found.map(({ distance }) => distance));
    return found
      .filter(({ distance }) => distance <= nearest)
      .slice(0, MAX_ALIKE)
      .map((one) => one.word);
  }

  private splitWord(word: string): string | null {
    if (word.length < 7 || this.words.has(stemWord(word)) || termsOf(word)[0]!.means.length > 0) return null;
    for (let at = 3; at <= word.length - 3; at++) {
      const [head, tail] = [word.slice(0, at), word.slice(at)];
      if (this.words.has(stemWord(head)) && this.words.has(stemWord(tail))) return `${head} ${tail}`;
    }
    return null;
  }
}

/** The number of words that one step compares, and the limits for words that may be intended. */
const A_STEP = 250;
const MAX_ALIKE = 4;
const MAX_INITIALS = 5;
/** The memory of a word in addition to its letters. */
const WORD_BYTES = 150;
