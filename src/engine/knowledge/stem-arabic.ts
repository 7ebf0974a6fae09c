/**
 * The function stems folded Arabic lightly, based on Larkey's light10. The stemmer removes clitics and endings, but no
 * letters of the root.
 */

const ARABIC_PREFIXES = ['وبال', 'فبال', 'وال', 'فال', 'بال', 'كال', 'ولل', 'فلل', 'ال', 'لل'];
const ARABIC_SUFFIXES = [
  'تكم',
  'تها',
  'تنا',
  'تهم',
  'تي',
  'تك',
  'ته',
  'ني',
  'كما',
  'هما',
  'تما',
  'ها',
  'ان',
  'ات',
  'ون',
  'ين',
  'يه',
  'هم',
  'هن',
  'كم',
  'نا',
  'وا',
  'ه',
  'ي',
  'ك',
];

/** Removes the attached article and prepositions, or returns the word itself if too little would remain. */
export const withoutArabicClitics = (word: string): string => {
  for (const prefix of ARABIC_PREFIXES) {
    if (word.startsWith(prefix) && word.length - prefix.length >= 3) return word.slice(prefix.length);
  }
  return word.length >= 5 && /^[وفبلك]/.test(word) ? word.slice(1) : word;
};

export const stemArabic = (word: string): string => {
  let stem = word;
  for (const prefix of ARABIC_PREFIXES) {
    if (stem.startsWith(prefix) && stem.length - prefix.length >= 3) {
      stem = stem.slice(prefix.length);
      break;
    }
  }
  if (stem === word && word.length >= 5 && word.startsWith('و')) stem = stem.slice(1);
  for (let round = 0; round < 2; round++) {
    // The word مجانا is مجان with the ending -an, but موقعنا means "our place".
    if (/[او]نا$/.test(stem) || (round === 0 && /[^نوه]ا$/.test(stem) && stem.length >= 4)) {
      stem = stem.slice(0, -1);
      continue;
    }
    const suffix = ARABIC_SUFFIXES.find(
      (ending) =>
        stem.endsWith(ending) && !(ending === 'ني' && stem.endsWith('اني')) && stem.length - ending.length >= 3,
    );
    if (suffix === undefined) break;
    stem = stem.slice(0, -suffix.length);
  }
  return stem;
};

/**
 * Returns the consonants of a word, which broken plurals and verb forms keep (سعر, أسعار). A very short result is
 * ignored.
 */
export const arabicSkeleton = (word: string): string | null => {
  const bare = stemArabic(word).replace(/^[سيتنا](?=..)/, (letter) => (letter === 'ا' ? '' : letter));
  const skeleton = bare.replace(/[اويه]/g, '');
  return skeleton.length >= 3 ? skeleton : null;
};
