/**
 * The function stems folded Hindi lightly, after Ramanathan and Rao, by removing the longest ending that leaves enough
 * of the word.
 */

const HINDI_SUFFIXES = [
  ['ाएंगी', 'ाएंगे', 'ाऊंगी', 'ाऊंगा', 'ाइयां', 'ाइयों', 'ाइयाँ'],
  [
    'ाएगी',
    'ाएगा',
    'ाओगी',
    'ाओगे',
    'एंगी',
    'एंगे',
    'एंगा',
    'ूंगी',
    'ूंगा',
    'ातीं',
    'नाओं',
    'नाएं',
    'ताओं',
    'ताएं',
    'ियां',
    'ियों',
    'ेंगे',
    'ेंगी',
  ],
  [
    'ाकर',
    'ाइए',
    'ाईं',
    'ाया',
    'ेगी',
    'ेगा',
    'ोगी',
    'ोगे',
    'ाने',
    'ाना',
    'ाते',
    'ाती',
    'ाता',
    'तीं',
    'ाओं',
    'ाएं',
    'ुओं',
    'ुएं',
    'ुआं',
  ],
  ['कर', 'ाओ', 'िए', 'ाई', 'ाए', 'ने', 'नी', 'ना', 'ते', 'ीं', 'ती', 'ता', 'ां', 'ों', 'ें', 'ओं', 'एं'],
  ['ो', 'े', 'ू', 'ु', 'ी', 'ि', 'ा', 'ं', 'ए', 'ई'],
] as const;

/** Words in which the ending decides the meaning, such as "girl" and "boy", which have the same stem. */
const HINDI_WHOLE: Record<string, string> = Object.fromEntries(
  ['लड़की', 'लड़कियां', 'लड़कियों', 'लड़कियाँ', 'लडकी', 'लडकियां', 'लडकियों'].map((word) => [
    word.replaceAll('\u093c', '').replace('ड़', 'ड'),
    'लडकी',
  ]),
);

export const stemHindi = (word: string): string => {
  if (Object.hasOwn(HINDI_WHOLE, word)) return HINDI_WHOLE[word]!;
  for (const endings of HINDI_SUFFIXES) {
    const least = endings[0].length > 3 ? 3 : 2;
    const ending = endings.find((one) => word.endsWith(one) && word.length - one.length >= least);
    if (ending !== undefined) return word.slice(0, -ending.length);
  }
  return word;
};

/** Hindi spelling varies most in the length of vowels and in the choice of the sibilant. */
export const hindiSkeleton = (word: string): string | null => {
  const skeleton = stemHindi(word)
    // A nasal before a consonant is written in two ways, as in रिफन्ड and रिफंड.
    .replace(/[ङञणनम]\u094d(?=[\u0915-\u0939])/g, '')
    .replace(/[\u0902\u094d]/g, '')
    .replace(/[िी]/g, 'ि')
    .replace(/[ुू]/g, 'ु')
    .replace(/[ेै]/g, 'े')
    .replace(/[ोौ]/g, 'ो')
    .replace(/[शष]/g, 'स')
    .replace(/इ|ई/g, 'ि')
    .replace(/व/g, 'ब')
    .replace(/ऊ/g, 'उ')
    .replace(/ऐ/g, 'ए')
    .replace(/औ/g, 'ओ');
  return skeleton.length >= 3 ? skeleton : null;
};
