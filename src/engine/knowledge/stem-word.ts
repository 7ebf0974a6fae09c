import { ARABIC, DEVANAGARI } from './fold-text.ts';
import { stemArabic } from './stem-arabic.ts';
import { stemEnglish } from './stem-english.ts';
import { stemHindi } from './stem-hindi.ts';

/**
 * Returns the stem of a folded word, by its script. Stems are only compared with stems, so they need not be words.
 * Numbers and model names are equal to their stems.
 */
export const stemWord = (word: string): string => {
  if (DIGIT.test(word)) return word;
  if (ARABIC.test(word)) return stemArabic(word);
  if (DEVANAGARI.test(word)) return stemHindi(word);
  return stemEnglish(word);
};

const DIGIT = /\d/;
