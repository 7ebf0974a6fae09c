import { asciiDigits } from '../knowledge/fold-text.ts';
import { phraseMap, type Words } from '../read-words.ts';

const SPELLED = phraseMap({
  0: 'zero|صفر|शून्य',
  1: 'one|a|an|just me|only me|واحد|واحدة|एक|ek',
  2: 'two|couple|a couple|اثنان|اثنين|اثنتان|اثنتين|شخصين|दो|do',
  3: 'three|ثلاثة|ثلاث|तीन|teen',
  4: 'four|أربعة|اربعة|أربع|चार|char',
  5: 'five|خمسة|خمس|पाँच|पांच|panch',
  6: 'six|ستة|ست|छह|छः|छे',
  7: 'seven|سبعة|سبع|सात|saat',
  8: 'eight|ثمانية|ثماني|ثمان|आठ|aath',
  9: 'nine|تسعة|تسع|नौ|nau',
  10: 'ten|عشرة|عشر|दस|das',
  11: 'eleven|أحد عشر|ग्यारह',
  12: 'twelve|dozen|a dozen|اثنا عشر|बारह',
  15: 'fifteen|خمسة عشر|पंद्रह|पन्द्रह',
  20: 'twenty|عشرون|عشرين|बीस',
  30: 'thirty|ثلاثون|ثلاثين|तीस',
  50: 'fifty|خمسون|خمسين|पचास',
  100: 'hundred|a hundred|one hundred|مئة|مائة|सौ|एक सौ',
  1000: 'thousand|a thousand|one thousand|ألف|हज़ार|एक हज़ार',
});

/**
 * Reads a number in the forms that people write, with any digits, thousands separators, one decimal mark, or a small
 * number in words.
 */
export const readNumber = (text: string, words: Words): number | null => {
  const plain = asciiDigits(text)
    .replace(/\u066b/g, '.')
    .replace(/[\u066c\u060c]/g, ',')
    .replace(/\u2212/g, '-');
  const found = plain.match(/(?<![\w.])-?\d[\d.,' \u00a0]*(?:k\b)?/gi) ?? [];
  if (found.length > 1) return null;
  if (found.length === 1) return parse(found[0]);
  const whole = SPELLED.get(words.join(' '));
  if (whole !== undefined) return whole;
  // Accepts the only number among the words, as in "two of us" or "شخصين".
  const spelled = words.filter((word) => word.length > 2 && SPELLED.has(word));
  return spelled.length === 1 && words.length <= 8 ? SPELLED.get(spelled[0]!)! : null;
};

const parse = (written: string): number | null => {
  const thousands = /k$/i.test(written.trim()) ? 1_000 : 1;
  let digits = written.replace(/[k' \u00a0]/gi, '').replace(/[.,]+$/, '');
  const commas = digits.split(',').length - 1;
  const dots = digits.split('.').length - 1;
  if (commas > 0 && dots > 0) {
    // The last mark in a number is the decimal mark.
    const decimal = digits.lastIndexOf(',') > digits.lastIndexOf('.') ? ',' : '.';
    digits = digits.replaceAll(decimal === ',' ? '.' : ',', '').replace(decimal, '.');
  } else if (commas > 0) {
    // The marks in 1,200 and 1,00,000 separate thousands, but the mark in 1,5 is a decimal mark.
    digits = /^-?\d{1,3}(?:,\d{2,3})*,\d{3}$/.test(digits) ? digits.replaceAll(',', '') : digits.replace(',', '.');
  } else if (dots > 1) digits = digits.replaceAll('.', '');
  const value = Number(digits) * thousands;
  return digits !== '' && Number.isFinite(value) ? value : null;
};
