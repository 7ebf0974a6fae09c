import { type Term, termsOf } from './analyze-text.ts';
import { foldText, wordsOf } from './fold-text.ts';
import { mendTypo } from './mend-typo.ts';
import { addTermWays, type Demand, WORTH } from './read-question.ts';
import { stemWord } from './stem-word.ts';
import type { Steps } from './steps.ts';

/** The words of the documents, for reading a question as the documents would write it. */
export class Vocabulary {
  /** Stem → the words that have it. */
  private readonly words = new Map<string, string[]>();
  bytes = 0;

  add(term: Term): void {
    if (/^\d/.test(term.word)) return;
    const words = this.words.get(term.stem);
    if (words === undefined) this.words.set(term.stem, [term.word]);
    else if (words.length < 6 && !words.includes(term.word)) words.push(term.word);
    else return;
    this.bytes += WORD_BYTES + 2 * term.word.length;
  }

  /** "cheque book" where the documents write "chequebook", and the other way round. */
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

  /** Adds to a demand the words that were meant, when the documents do not have its own. */
  *mend(demand: Demand, isKnown: (key: string) => boolean): Steps<void> {
    const { term } = demand;
    if (term === null || demand.force !== 'must' || term.span > 1) return;
    if (term.means.length > 0 || term.kindOf.length > 0) return;
    for (const key of demand.ways.keys()) if (isKnown(key)) return;
    for (const mended of yield* mendTypo(term, this.words)) {
      if (mended.term !== null) addTermWays(demand.ways, mended.term, WORTH.typo);
      else demand.ways.set(`s:${mended.stem}`, WORTH.typo);
      if (mended.weak) demand.force = 'may';
    }
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

/** Overhead of a word, without its letters. */
const WORD_BYTES = 150;
