import { ARABIC, DEVANAGARI, foldText, wordsOf } from '../knowledge/fold-text.ts';
import { latinLanguageOf } from '../knowledge/latin-words.ts';

/**
 * Chooses the language of the answer. The script of the text decides first. Hindi and Arabic in Latin letters are
 * detected by common words. Arabic letters mean Arabic, unless the conversation already uses another language with
 * Arabic letters (fa, ur). Devanagari means Hindi, unless the conversation already uses another language with this
 * script. In an Arabic conversation, a single Latin word, an e-mail address or an order number does not change the
 * language.
 */
export const detectLanguage = (text: string, current: string | null): string | null => {
  const prose = text.split(/\s+/).filter((word) => !NOT_PROSE.test(word));
  const script = mainScript(prose.join(' '), current);
  if (script === null || script === 'latin') {
    const spelled = latinLanguageOf(wordsOf(foldText(text)));
    if (spelled !== null) return current !== null && isSameScript(current, spelled) ? current : spelled;
  }
  if (script === null) return current;
  if (current !== null && scriptOf(current) === script) return current;
  return LANGUAGE_OF[script];
};

/** Returns the language part of a BCP 47 tag in lower case. Null if there is no tag. */
export const languageOf = (locale: string | null): string | null =>
  locale === null || locale === '' ? null : locale.split(/[-_]/, 1)[0]!.toLowerCase();

type Script = 'arabic' | 'devanagari' | 'latin';
const LANGUAGE_OF: Record<Script, string> = { arabic: 'ar', devanagari: 'hi', latin: 'en' };
const ARABIC_LANGUAGES = new Set(['ar', 'fa', 'ur', 'ps', 'ku', 'sd', 'ug']);
const DEVANAGARI_LANGUAGES = new Set(['hi', 'mr', 'ne', 'sa', 'kok']);
const NOT_PROSE = /[@\p{N}/_]/u;
const LATIN_WORD = /[a-z\u00c0-\u024f]{2,}/gi;
/** One Latin word is enough if it is clearly an English word, and not a name or a product. */
const ENGLISH =
  /\b(?:hi|hello|hey|thanks|thank|yes|no|yeah|please|help|what|when|where|how|who|why|is|are|do|does|can|the|skip)\b/i;

const scriptOf = (language: string): Script => {
  const main = languageOf(language)!;
  if (ARABIC_LANGUAGES.has(main)) return 'arabic';
  return DEVANAGARI_LANGUAGES.has(main) ? 'devanagari' : 'latin';
};

/** True if two languages use the same script, so that a single text cannot show its language. */
export const isSameScript = (one: string, other: string): boolean => scriptOf(one) === scriptOf(other);

const count = (text: string, letter: RegExp): number => text.match(new RegExp(letter.source, 'g'))?.length ?? 0;

const mainScript = (text: string, current: string | null): Script | null => {
  const arabic = count(text, ARABIC);
  const devanagari = count(text, DEVANAGARI);
  const latinWords = text.match(LATIN_WORD) ?? [];
  const latin = latinWords.reduce((sum, word) => sum + word.length, 0);
  if (arabic > 0 && arabic >= devanagari && arabic * 2 >= latin) return 'arabic';
  if (devanagari > 0 && devanagari * 2 >= latin) return 'devanagari';
  if (latinWords.length === 0) return null;
  const enough = current === null || scriptOf(current) === 'latin' || latinWords.length >= 3 || ENGLISH.test(text);
  return enough ? 'latin' : null;
};
