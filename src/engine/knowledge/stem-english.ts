/** The function is Porter's stemmer (1980) for lower-case English, with irregular forms that its rules do not cover. */

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

/** Irregular forms that no rule about endings covers. */
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
