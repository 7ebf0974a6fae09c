import { ARABIC, DEVANAGARI, foldText, wordsOf } from './fold-text.ts';
import { CONCEPTS, WEEKDAYS } from './lexicon/concepts.ts';
import { EMPTY, WEAK } from './lexicon/plain-words.ts';
import { arabicSkeleton, withoutArabicClitics } from './stem-arabic.ts';
import { hindiSkeleton } from './stem-hindi.ts';
import { stemWord } from './stem-word.ts';

/**
 * Converts text to the form that the search uses. Every word gets a few search keys. Each key is one way in which a
 * question may name the same thing: `s:` its stem, `k:` its consonants (Arabic) or its vowel-free spelling (Hindi),
 * `c:` a topic that it means, `n:` a broader topic to which it belongs as a kind. Words that belong together are also
 * read as one term, such as "check out" and "X-100".
 */
export type Term = {
  word: string;
  stem: string;
  /** A second stem, without one attached Arabic letter (و ب ل ف ك). */
  otherStem: string | null;
  skeleton: string | null;
  means: readonly string[];
  kindOf: readonly string[];
  /** Broader topics for which the term also counts, because it is a kind of them. */
  under: readonly string[];
  /** The number of words that the term spans, which is more than one for a phrase of the lexicon. */
  span: number;
};

export const termsOf = (text: string): Term[] => wordsOf(foldText(text)).map(termOf);

/** The terms are cached, because documents repeat the same words, and the reading of words is most of the work. */
const termOf = (word: string): Term => {
  const known = lately.get(word);
  if (known !== undefined) return known;
  const term = readTerm(word);
  if (word.length > MAX_KEPT_CHARACTERS) return term;
  if (lately.size >= MAX_KEPT_TERMS) lately.clear();
  lately.set(word, term);
  return term;
};

const lately = new Map<string, Term>();
const MAX_KEPT_TERMS = 20_000;
const MAX_KEPT_CHARACTERS = 40;

/** Returns the longest phrase of the lexicon that begins at the given term. Null: no phrase begins at the term. */
export const phraseAt = (terms: readonly Term[], at: number): Term | null => {
  const first = terms[at]!;
  if (!beginnings().has(first.stem) && (first.otherStem === null || !beginnings().has(first.otherStem))) return null;
  for (let span = Math.min(MAX_PHRASE, terms.length - at); span > 1; span--) {
    const words = terms.slice(at, at + span);
    const joined = words.map((term) => term.stem).join(' ');
    const found =
      lexicon().get(words.map((term) => term.word).join(' ')) ??
      lexicon().get(`~${joined}`) ??
      (first.otherStem === null
        ? undefined
        : lexicon().get(`~${[first.otherStem, ...words.slice(1).map((term) => term.stem)].join(' ')}`));
    if (found !== undefined)
      return {
        ...found,
        otherStem: null,
        skeleton: null,
        word: words.map((term) => term.word).join(' '),
        stem: joined,
        span,
      };
  }
  return null;
};

/**
 * Returns the joined form of letters and digits that people write together, apart or with a hyphen (X100, X 100,
 *
 */
export const joinedAt = (terms: readonly Term[], at: number): string | null => {
  const [first, second] = [terms[at]?.word, terms[at + 1]?.word];
  if (first === undefined || second === undefined || first.length > 4 || isEmptyWord(terms[at]!)) return null;
  const mixed =
    (/^\p{L}+$/u.test(first) && /^\d+[a-z]?$/.test(second)) || (/^\d+$/.test(first) && /^[a-z]{1,2}$/.test(second));
  return mixed ? first + second : null;
};

export const isEmptyWord = (term: Term): boolean => empty().has(term.word);
export const isWeakWord = (term: Term): boolean => weak().has(term.word) || weak().has(`~${term.stem}`);

/** Returns all words of the lexicon, for correcting typing errors in a question. */
export const knownWords = (): readonly Term[] => (known ??= [...lexiconWords()].map(readTerm));

/** Returns 0 to 6 for the name of a weekday, with Sunday first. Null: the word is not the name of a weekday. */
export const weekdayOf = (term: Term): number | null => {
  const found = term.means.find((concept) => concept.startsWith('day_'));
  return found === undefined ? null : Number(found.slice(4));
};

const MAX_PHRASE = 4;
type Meaning = { means: string[]; kindOf: string[]; under: string[] };
let table: Map<string, Meaning> | undefined;
let firstStems: Set<string> | undefined;
let known: Term[] | undefined;
let emptyWords: Set<string> | undefined;
let weakWords: Set<string> | undefined;

const NOTHING: readonly string[] = [];
const AFFIXED = /^[وبلفك]/;

const readTerm = (word: string): Term => {
  const number = word.replace(/(?<=\d)[,\u066b\u066c](?=\d{2,3}(?:\D|$))/g, '').replace(/[.,:]+$/, '');
  if (/^\d/.test(number)) {
    return {
      word: number,
      stem: number,
      otherStem: null,
      skeleton: null,
      means: NOTHING,
      kindOf: NOTHING,
      under: NOTHING,
      span: 1,
    };
  }
  const stem = stemWord(word);
  const arabic = ARABIC.test(word);
  const otherStem = arabic && word.length >= 4 && AFFIXED.test(word) ? stemWord(word.slice(1)) : null;
  const skeleton = arabic ? arabicSkeleton(word) : DEVANAGARI.test(word) ? hindiSkeleton(word) : null;
  const meaning =
    lexicon().get(word) ??
    (arabic ? lexicon().get(withoutArabicClitics(word)) : undefined) ??
    lexicon().get(`~${stem}`) ??
    (otherStem === null ? undefined : (lexicon().get(word.slice(1)) ?? lexicon().get(`~${otherStem}`)));
  return {
    word,
    stem,
    otherStem: otherStem === stem ? null : otherStem,
    skeleton,
    means: meaning?.means ?? NOTHING,
    kindOf: meaning?.kindOf ?? NOTHING,
    under: meaning?.under ?? NOTHING,
    span: 1,
  };
};

const lexicon = (): Map<string, Meaning> => {
  if (table !== undefined) return table;
  table = new Map();
  for (const [concept, languages] of Object.entries(CONCEPTS)) {
    for (const line of languages) {
      const [core = '', kinds = ''] = line.split(/>+/);
      for (const phrase of core.split('|')) addMeaning(table, phrase, 'means', concept);
      for (const phrase of kinds.split('|')) {
        addMeaning(table, phrase, 'kindOf', concept);
        if (line.includes('>>')) addMeaning(table, phrase, 'under', concept);
      }
    }
  }
  for (const [day, names] of WEEKDAYS.entries()) {
    for (const name of names.join('|').split('|')) addMeaning(table, name, 'means', `day_${day}`);
  }
  return table;
};

/**
 * Returns the first stems of all phrases with several words. Few words begin a phrase, so most look-ups are skipped.
 */
const beginnings = (): Set<string> =>
  (firstStems ??= new Set(
    [...lexicon().keys()]
      .filter((key) => key.startsWith('~') && key.includes(' '))
      .map((key) => key.slice(1).split(' ', 1)[0]!),
  ));

const addMeaning = (into: Map<string, Meaning>, phrase: string, how: keyof Meaning, concept: string): void => {
  const words = wordsOf(foldText(phrase));
  if (words.length === 0) return;
  // The entries are indexed by the word and, with a mark, by the stem of the word. If the word itself is listed, the
  // entries of its stem are ignored.
  for (const key of [words.join(' '), `~${words.map(stemWord).join(' ')}`]) {
    const meaning = into.get(key) ?? { means: [], kindOf: [], under: [] };
    if (!meaning[how].includes(concept)) meaning[how].push(concept);
    into.set(key, meaning);
  }
};

function* lexiconWords(): Generator<string> {
  const seen = new Set<string>();
  const all = [...Object.values(CONCEPTS).flat(), ...WEEKDAYS.flat(), ...WEAK].join('|').split(/[|>]/);
  for (const phrase of all) {
    const words = wordsOf(foldText(phrase));
    if (words.length !== 1 || seen.has(words[0]!)) continue;
    seen.add(words[0]!);
    yield words[0]!;
  }
}

const setOf = (lists: readonly string[], stems: boolean): Set<string> => {
  const set = new Set<string>();
  for (const word of lists.join('|').split('|')) {
    const folded = wordsOf(foldText(word));
    if (folded.length !== 1) continue;
    set.add(folded[0]!);
    // Stems have a mark, so that a stem never counts as a word.
    if (stems && folded[0]!.length > 3) set.add(`~${stemWord(folded[0]!)}`);
  }
  return set;
};

const empty = (): Set<string> => (emptyWords ??= setOf(EMPTY, false));
const weak = (): Set<string> => (weakWords ??= setOf(WEAK, true));
