/**
 * Converts text that people spell in many ways to one spelling, so that two texts can be compared letter by letter:
 * case, accents, digits of four scripts, Arabic hamza seats, taa marbuta, alef maqsura, vowel marks and tatweel, Hindi
 * nukta, chandrabindu and half nasals, invisible joiners. The conversion loses information on purpose, because a quote
 * always shows the original.
 */
export const foldText = (text: string): string => {
  const lower = text.toLowerCase();
  // Plain ASCII needs no further folding, and most text of an English agent is ASCII.
  if (!NOT_ASCII.test(lower)) return lower;
  // A text that consists only of ligatures would become eighteen times as long.
  const plain = lower.normalize('NFKC').slice(0, MOST_LONGER * lower.length + LIGATURE);
  let folded = plain.replace(INVISIBLE, '').replace(DIGITS, asciiDigit).replace(QUOTES, "'");
  if (ARABIC.test(folded)) folded = foldArabic(folded);
  if (DEVANAGARI.test(folded)) folded = foldHindi(folded);
  return folded.replace(ACCENTED, (letter) => letter.normalize('NFD')[0]!);
};

/** The longest ligature has this many letters. This number also limits how much longer a text can become. */
const LIGATURE = 18;
const MOST_LONGER = 2;

/**
 * Converts Arabic-Indic, Extended Arabic-Indic, Devanagari and full-width digits to 0–9. All other characters do not
 * change.
 */
export const asciiDigits = (text: string): string => text.replace(DIGITS, asciiDigit);

/**
 * Returns the words of a folded text, which consist of letters, marks and digits. A number includes its decimals, and a
 * time includes its colon. A sequence longer than any word is cut into pieces, because the cost of comparing words
 * grows with their length.
 */
export const wordsOf = (folded: string): string[] => {
  const words = folded.match(WORD) ?? [];
  return UNSPACED.test(folded) ? words.flatMap(piecesOf) : words;
};

/**
 * Chinese, Japanese and Thai have no spaces between words. In Chinese and Japanese, each pair of letters counts as a
 * word. In Thai, each group of three letters counts as a word. A word that is shorter than such a group is not cut.
 */
const piecesOf = (word: string): string[] =>
  (word.match(WRITING_RUN) ?? []).flatMap((run) => {
    const size = PAIRED.test(run) ? 2 : UNSPACED.test(run) ? 3 : run.length;
    if (run.length <= size) return [run];
    return Array.from({ length: run.length - size + 1 }, (_, at) => run.slice(at, at + size));
  });

export const ARABIC = /[\u0600-\u06ff\u0750-\u077f\ufb50-\ufdff\ufe70-\ufefc]/;
export const DEVANAGARI = /[\u0900-\u097f]/;

export type Writing = 'arabic' | 'devanagari' | 'other';

/**
 * The script in which most of a text is written. The text may contain a name in another script: “iPhone” does not make
 * an Arabic sentence English.
 */
export const writingOf = (text: string): Writing =>
  ARABIC.test(text) ? 'arabic' : DEVANAGARI.test(text) ? 'devanagari' : 'other';

// oxlint-disable-next-line no-control-regex
const NOT_ASCII = /[^\x00-\x7f]/;
const INVISIBLE = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g;
const DIGITS = /[\u0660-\u0669\u06f0-\u06f9\u0966-\u096f\uff10-\uff19]/g;
const QUOTES = /[\u2018\u2019\u02bc]/g;
const ACCENTED = /[\u00c0-\u024f\u1e00-\u1eff]/g;
const WORD = /\d{1,64}(?:[.,:\u066b\u066c]\d{1,64}){1,8}|[\p{L}\p{M}\p{N}]{1,64}(?:'[\p{L}]{1,64})?/gu;

/** Matches Chinese and Japanese letters, and letters of Thai, Lao, Khmer and Burmese. */
const PAIRED = /[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]/;
const UNSPACED = /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]/;
const WRITING_RUN =
  /[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+|[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]+|[^\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+/g;

const asciiDigit = (digit: string): string => {
  const code = digit.charCodeAt(0);
  const zero = code >= 0xff10 ? 0xff10 : code >= 0x966 ? 0x966 : code >= 0x6f0 ? 0x6f0 : 0x660;
  return String(code - zero);
};

// oxlint-disable-next-line no-misleading-character-class
const ARABIC_MARKS = /[\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06ed]/g;

const foldArabic = (text: string): string =>
  text
    // In Arabic, the ending -an is written with a mark and an alef that is not a letter of the word.
    .replace(/\u064bا|ا\u064b/g, '')
    .replace(ARABIC_MARKS, '')
    .replace(/[أإآٱ]/g, 'ا')
    .replace(/[ىی]/g, 'ي')
    .replace(/ک/g, 'ك')
    .replace(/ة/g, 'ه')
    .replace(/ؤ/g, 'و')
    .replace(/ئ/g, 'ي')
    .replace(/ء/g, '')
    .replace(/٪/g, '%');

const foldHindi = (text: string): string =>
  text
    .replace(/\u093c/g, '')
    .replace(/\u0901/g, '\u0902')
    .replace(/[ङञणनम]\u094d(?=[\u0915-\u0939])/g, '\u0902')
    .replace(/\u0949/g, '\u093e')
    .replace(/\u0911/g, '\u0906')
    .replace(/ये(?=$|[^\u0900-\u097f])/g, 'ए')
    .replace(/यी(?=$|[^\u0900-\u097f])/g, 'ई');
