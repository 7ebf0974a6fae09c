import { ARABIC, DEVANAGARI } from './fold-text.ts';
import { editDistance } from './correct-typo.ts';

/**
 * Compares a word in Latin letters with a word in Arabic or Devanagari letters by the consonants ("bataniya" and
 * بطانية, "helmet" and हेलमेट). Vowels are compared only between words with the same consonants, because people write
 * vowels in many ways.
 */
type Sound = { consonants: string; whole: string };

/**
 * Returns the Latin initials that a Hindi word spells, such as "upi" for यूपीआई. Null: the word does not spell
 * initials.
 */
export const initialsOf = (word: string): string | null => {
  let [at, initials] = [0, ''];
  while (at < word.length) {
    const name = INITIAL_NAMES.find(([spoken]) => word.startsWith(spoken, at));
    if (name === undefined) return null;
    initials += name[1];
    at += name[0].length;
  }
  return initials.length >= 2 ? initials : null;
};

/** The names of Latin letters in Hindi, the longest first. */
const INITIAL_NAMES: readonly (readonly [string, string])[] =
  'डब्ल्यू:w एच:h एफ:f एल:l एम:m एन:n आर:r एस:s एक्स:x वाई:y जेड:z जी:g बी:b सी:c डी:d पी:p टी:t वी:v यू:u क्यू:q आई:i ओ:o ए:a ई:e जे:j के:k'
    .split(' ')
    .map((pair) => pair.split(':') as [string, string])
    .toSorted(([a], [b]) => b.length - a.length);

/** Returns the sound of a word in Latin letters. Null if the word is too short to compare. */
export const soundOfLatin = (word: string): Sound | null => {
  if (!LATIN.test(word)) return null;
  const letters = word.replace(/^(?:al|el|il)(?=[a-z0-9]{4})/, '');
  return soundOf(DIGRAPHS.reduce((text, [from, to]) => text.replace(from, to), letters));
};

/** Returns the sound of a folded word in Arabic or Devanagari letters, in the form of `soundOfLatin`. */
export const soundOfNative = (word: string): Sound | null => {
  if (ARABIC.test(word)) return soundOf(spelled(word.replace(ARTICLE, ''), ARABIC_LETTERS, ''));
  return DEVANAGARI.test(word) ? soundOf(spelled(word, HINDI_LETTERS, 'a')) : null;
};

/** Returns the difference between two sounds, or 0 if the sounds are equal. Null: the words are different. */
export const soundDistance = (one: Sound, other: Sound): number | null => {
  if (!isSame(one.consonants, other.consonants)) return null;
  const length = Math.max(one.whole.length, other.whole.length);
  // Two equal consonants are not enough, so the vowels are compared too.
  const most = one.consonants.length >= 3 ? length : Math.min(MAX_VOWELS, length - 2);
  const distance = editDistance(one.whole, other.whole, most);
  return distance <= most ? distance : null;
};

/** In "ghurfat el" for غرفة, the feminine ending is spoken as t before another noun. */
const isSame = (one: string, other: string): boolean =>
  one === other || (one.length > 3 && one === `${other}t`) || (other.length > 3 && other === `${one}t`);

const soundOf = (letters: string): Sound | null => {
  const whole = letters
    .replace(/aa+/g, 'a')
    .replace(/ee+|ii+/g, 'i')
    .replace(/oo+|uu+/g, 'u')
    .replace(/(.)\1+/g, '$1')
    .replace(/m(?=[bp])/g, 'n');
  const bare = whole.replace(/[aeiouywv]/g, '').replace(/(.)\1+/g, '$1');
  // Many people leave out the last letter of a feminine form.
  const consonants = bare.length > 2 ? bare.replace(/h$/, '') : bare;
  return consonants.length < 2 ? null : { consonants, whole };
};

const spelled = (word: string, letters: Readonly<Record<string, string>>, inherent: string): string => {
  let text = '';
  for (let at = 0; at < word.length; at++) {
    const letter = letters[word[at]!] ?? '';
    text += letter;
    const next = word[at + 1];
    const carries = inherent !== '' && CONSONANT.test(word[at]!);
    if (carries && next !== undefined && (CONSONANT.test(next) || next === '\u0902')) text += inherent;
  }
  return text;
};

const MAX_VOWELS = 3;
const ARTICLE = /^(?:و?ال|بال|لل)(?=..)/;
const LATIN = /^(?=.*[a-z])[a-z0-9']{2,30}$/;
const CONSONANT = /[\u0915-\u0939]/;

/** The order of the list matters, so pairs of letters come first. Digits stand for Arabic letters that Latin lacks. */
const DIGRAPHS: readonly (readonly [RegExp, string])[] = [
  [/'/g, ''],
  [/sh|9|ss/g, 's'],
  [/[kq]h|5|7'|8|q|ck/g, 'k'],
  [/ch/g, 'C'],
  [/gh/g, 'g'],
  [/th|6/g, 't'],
  [/dh/g, 'd'],
  [/ph/g, 'f'],
  [/bh/g, 'b'],
  [/jh|z/g, 'j'],
  [/c(?=[eiy])/g, 's'],
  [/c/g, 'k'],
  [/x/g, 'ks'],
  [/7/g, 'h'],
  [/[234]/g, 'a'],
  [/[01]/g, ''],
];

const lettersOf = (pairs: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    pairs.split(' ').map((pair) => {
      const [native = '', latin = ''] = pair.split(':');
      return [native, latin];
    }),
  );

const ARABIC_LETTERS = lettersOf(
  'ا:a ب:b ت:t ث:t ج:j ح:h خ:k د:d ذ:j ر:r ز:j س:s ش:s ص:s ض:d ط:t ظ:j ع:a غ:g ف:f ق:k ك:k ل:l م:m ن:n ه:h و:u ي:i پ:b چ:C گ:g',
);
const HINDI_LETTERS = lettersOf(
  'क:k ख:k ग:g घ:g ङ:n च:C छ:C ज:j झ:j ञ:n ट:t ठ:t ड:d ढ:d ण:n त:t थ:t द:d ध:d न:n प:p फ:f ब:b भ:b म:m य:y र:r ल:l ळ:l व:v श:s ष:s स:s ह:h अ:a आ:a इ:i ई:i उ:u ऊ:u ए:e ऐ:e ओ:o औ:o ऋ:ri ा:a ि:i ी:i ु:u ू:u े:e ै:e ो:o ौ:o ं:n ृ:ri',
);
