import { ARABIC, DEVANAGARI } from './fold-text.ts';

/**
 * The stem of a folded word, by the script it is written in: Porter's algorithm for Latin, light stemming (clitics
 * and endings only, after Larkey's light10) for Arabic, longest-ending removal (after Ramanathan and Rao) for Hindi.
 * Stems are only compared with stems, so they need not be words.
 */
export const stemWord = (word: string): string => {
  if (DIGIT.test(word)) return word;
  if (ARABIC.test(word)) return stemArabic(word);
  if (DEVANAGARI.test(word)) return stemHindi(word);
  return stemEnglish(word);
};

const DIGIT = /\d/;

// ── Arabic ──────────────────────────────────────────────────────────────────────────────────────────────────────

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

/** Without its attached article and prepositions; the word itself when nothing sensible would remain. */
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
    // مجانا is مجان with the ending -an, موقعنا is "our place".
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

/** Consonants only: what a word keeps through broken plurals and verb forms (سعر, أسعار). Too short says nothing. */
export const arabicSkeleton = (word: string): string | null => {
  const bare = stemArabic(word).replace(/^[سيتنا](?=..)/, (letter) => (letter === 'ا' ? '' : letter));
  const skeleton = bare.replace(/[اويه]/g, '');
  return skeleton.length >= 3 ? skeleton : null;
};

// ── Hindi ───────────────────────────────────────────────────────────────────────────────────────────────────────

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

/** Where the ending is the meaning: girl and boy have one stem. */
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

/** Vowel length and the choice of sibilant are what Hindi spelling varies in most. */
export const hindiSkeleton = (word: string): string | null => {
  const skeleton = stemHindi(word)
    .replace(/[\u0902\u094d]/g, '')
    .replace(/[िी]/g, 'ि')
    .replace(/[ुू]/g, 'ु')
    .replace(/[ेै]/g, 'े')
    .replace(/[ोौ]/g, 'ो')
    .replace(/[शष]/g, 'स')
    .replace(/इ|ई/g, 'ि')
    .replace(/व/g, 'ब');
  return skeleton.length >= 3 ? skeleton : null;
};

// ── English (Porter 1980) ───────────────────────────────────────────────────────────────────────────────────────

const CONSONANTS = '[^aeiou][^aeiouy]*';
const VOWELS = '[aeiouy][aeiou]*';
const MEASURE_ABOVE_0 = new RegExp(`^(${CONSONANTS})?${VOWELS}${CONSONANTS}`);
const MEASURE_1 = new RegExp(`^(${CONSONANTS})?${VOWELS}${CONSONANTS}(${VOWELS})?$`);
const MEASURE_ABOVE_1 = new RegExp(`^(${CONSONANTS})?${VOWELS}${CONSONANTS}${VOWELS}${CONSONANTS}`);
const HAS_VOWEL = new RegExp(`^(${CONSONANTS})?[aeiouy]`);
const ENDS_CVC = new RegExp(`^${CONSONANTS}[aeiouy][^aeiouwxy]$`);

const STEP_2: Record<string, string> = {
  ational: 'ate',
  tional: 'tion',
  enci: 'ence',
  anci: 'ance',
  izer: 'ize',
  bli: 'ble',
  alli: 'al',
  entli: 'ent',
  eli: 'e',
  ousli: 'ous',
  ization: 'ize',
  ation: 'ate',
  ator: 'ate',
  alism: 'al',
  iveness: 'ive',
  fulness: 'ful',
  ousness: 'ous',
  aliti: 'al',
  iviti: 'ive',
  biliti: 'ble',
  logi: 'log',
};
const STEP_3: Record<string, string> = {
  icate: 'ic',
  ative: '',
  alize: 'al',
  iciti: 'ic',
  ical: 'ic',
  ful: '',
  ness: '',
};
const STEP_2_ENDING = new RegExp(`^(.+?)(${Object.keys(STEP_2).join('|')})$`);
const STEP_3_ENDING = new RegExp(`^(.+?)(${Object.keys(STEP_3).join('|')})$`);
const STEP_4_ENDING = /^(.+?)(al|ance|ence|er|ic|able|ible|ant|ement|ment|ent|ou|ism|ate|iti|ous|ive|ize)$/;

/** Forms that no rule of endings finds. */
const IRREGULAR: Record<string, string> = {
  paid: 'pay',
  sent: 'send',
  bought: 'buy',
  lost: 'lose',
  sold: 'sell',
  kept: 'keep',
  left: 'leave',
  given: 'give',
  gave: 'give',
  taken: 'take',
  took: 'take',
  made: 'make',
  held: 'hold',
  met: 'meet',
  brought: 'bring',
  spoke: 'speak',
  spoken: 'speak',
  began: 'begin',
  begun: 'begin',
  ran: 'run',
  swam: 'swim',
  flew: 'fly',
  flown: 'fly',
  flies: 'fly',
  children: 'child',
  men: 'man',
  women: 'woman',
  feet: 'foot',
  teeth: 'tooth',
  broke: 'break',
  broken: 'break',
  stole: 'steal',
  stolen: 'steal',
  worn: 'wear',
  wore: 'wear',
  ate: 'eat',
  eaten: 'eat',
  drank: 'drink',
  drunk: 'drink',
  drove: 'drive',
  driven: 'drive',
  slept: 'sleep',
  spent: 'spend',
  taught: 'teach',
  went: 'go',
  gone: 'go',
  wrote: 'write',
  written: 'write',
  chose: 'choose',
  chosen: 'choose',
  cheaper: 'cheap',
  cheapest: 'cheap',
  bigger: 'big',
  biggest: 'big',
  larger: 'large',
  largest: 'large',
  fees: 'fee',
  shipped: 'ship',
  dying: 'die',
  lying: 'lie',
  knives: 'knife',
  wives: 'wife',
  lives: 'live',
  leaves: 'leave',
};

export const stemEnglish = (input: string): string => {
  let word = input.replace(/'s?$/, '').replace(/'.*$/, '');
  if (Object.hasOwn(IRREGULAR, word)) word = IRREGULAR[word]!;
  if (word.length < 3) return word;
  word = word.replace(/^y/, 'Y');
  word = word.replace(/(ss|i)es$/, '$1').replace(/([^s])s$/, '$1');
  word = stripVerbEnding(word);
  if (word.endsWith('y') && HAS_VOWEL.test(word.slice(0, -1))) word = `${word.slice(0, -1)}i`;
  word = replaceEnding(word, STEP_2_ENDING, STEP_2);
  word = replaceEnding(word, STEP_3_ENDING, STEP_3);
  word = stripLongEnding(word);
  if (word.endsWith('e')) {
    const bare = word.slice(0, -1);
    if (MEASURE_ABOVE_1.test(bare) || (MEASURE_1.test(bare) && !ENDS_CVC.test(bare))) word = bare;
  }
  if (word.endsWith('ll') && MEASURE_ABOVE_1.test(word)) word = word.slice(0, -1);
  return word.toLowerCase();
};

const stripVerbEnding = (word: string): string => {
  if (word.endsWith('eed')) return MEASURE_ABOVE_0.test(word.slice(0, -3)) ? word.slice(0, -1) : word;
  const match = /^(.+?)(ed|ing)$/.exec(word);
  if (match === null || !HAS_VOWEL.test(match[1]!)) return word;
  const bare = match[1]!;
  if (/(at|bl|iz)$/.test(bare) || ENDS_CVC.test(bare)) return `${bare}e`;
  return /([^aeiouylsz])\1$/.test(bare) ? bare.slice(0, -1) : bare;
};

const replaceEnding = (word: string, ending: RegExp, table: Record<string, string>): string => {
  const match = ending.exec(word);
  return match !== null && MEASURE_ABOVE_0.test(match[1]!) ? match[1]! + table[match[2]!]! : word;
};

const stripLongEnding = (word: string): string => {
  const match = STEP_4_ENDING.exec(word);
  if (match !== null) return MEASURE_ABOVE_1.test(match[1]!) ? match[1]! : word;
  const tion = /^(.+?[st])ion$/.exec(word);
  return tion !== null && MEASURE_ABOVE_1.test(tion[1]!) ? tion[1]! : word;
};
