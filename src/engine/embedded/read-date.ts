import { asciiDigits } from '../knowledge/fold-text.ts';
import { phraseMap, type Words } from '../read-words.ts';

/**
 * Reads a calendar day in the forms that people write and returns `YYYY-MM-DD`. The day comes before the month, as in
 * the three languages, unless the locale is American. A day or weekday without a year means its next date.
 */
export const readDate = (text: string, words: Words, now: Date, options: DateOptions): string | null => {
  const today = dayIn(now, options.timeZone);
  return numeric(asciiDigits(text), today, options.monthFirst) ?? named(words, today) ?? relative(words, today);
};

export type DateOptions = { timeZone: string | null; monthFirst: boolean };

/** Returns the current day in a time zone. An unknown zone counts as UTC. */
export const dayIn = (now: Date, timeZone: string | null): string => {
  if (timeZone !== null) {
    try {
      return new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' }).format(now);
    } catch {
      // An unknown time zone must not fail a turn.
    }
  }
  return now.toISOString().slice(0, 10);
};

/** The author of an agent may give a number of days that no date can reach. */
const MAX_DAYS = 100_000;

export function addDays(day: string, days: number): string {
  const shift = Math.max(-MAX_DAYS, Math.min(days, MAX_DAYS));
  return new Date(Date.parse(`${day}T00:00:00Z`) + shift * 86_400_000).toISOString().slice(0, 10);
}

const MONTHS = phraseMap({
  1: 'january|jan|يناير|كانون الثاني|जनवरी',
  2: 'february|feb|فبراير|شباط|फरवरी',
  3: 'march|mar|مارس|آذار|मार्च',
  4: 'april|apr|أبريل|ابريل|إبريل|نيسان|अप्रैल',
  5: 'may|مايو|أيار|मई',
  6: 'june|jun|يونيو|يونيه|حزيران|जून',
  7: 'july|jul|يوليو|يوليه|تموز|जुलाई',
  8: 'august|aug|أغسطس|اغسطس|آب|अगस्त',
  9: 'september|sep|sept|سبتمبر|أيلول|सितंबर|सितम्बर',
  10: 'october|oct|أكتوبر|اكتوبر|تشرين الأول|अक्टूबर|अक्तूबर',
  11: 'november|nov|نوفمبر|تشرين الثاني|नवंबर|नवम्बर',
  12: 'december|dec|ديسمبر|كانون الأول|दिसंबर|दिसम्बर',
});
const WEEKDAYS = phraseMap({
  0: 'sunday|sun|الأحد|الاحد|रविवार|इतवार',
  1: 'monday|mon|الاثنين|الإثنين|सोमवार',
  2: 'tuesday|tue|tues|الثلاثاء|मंगलवार',
  3: 'wednesday|wed|الأربعاء|बुधवार',
  4: 'thursday|thu|thurs|الخميس|गुरुवार|गुरूवार|बृहस्पतिवार',
  5: 'friday|fri|الجمعة|शुक्रवार',
  6: 'saturday|sat|السبت|शनिवार',
});
const FROM_TODAY = phraseMap({
  0: 'today|tonight|اليوم|आज|aaj',
  1: 'tomorrow|tmrw|tomorow|غدا|غداً|بكرة|بكره|कल|kal',
  2: 'day after tomorrow|the day after tomorrow|بعد غد|بعد غدا|بعد بكرة|परसों|parson',
  7: 'next week|in a week|الأسبوع القادم|الأسبوع المقبل|अगले हफ्ते|अगले सप्ताह',
});
const NOISE = /^(?:on|the|of|next|this|coming|for|يوم|في|القادم|المقبل|को|अगले|इस|at)$/;

const valid = (year: number, month: number, day: number): string | null => {
  const date = new Date(Date.UTC(year, month - 1, day));
  const same = date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return same && year >= 1900 && year <= 2200 ? date.toISOString().slice(0, 10) : null;
};

const nextToCome = (month: number, day: number, today: string): string | null => {
  const year = Number(today.slice(0, 4));
  const date = valid(year, month, day);
  return date !== null && date >= today ? date : (valid(year + 1, month, day) ?? date);
};

const fullYear = (year: string): number => (year.length === 2 ? 2000 + Number(year) : Number(year));

const numeric = (text: string, today: string, monthFirst: boolean): string | null => {
  const iso = /(?<!\d)(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)/.exec(text);
  if (iso !== null) return valid(Number(iso[1]), Number(iso[2]), Number(iso[3]));
  const match = /(?<!\d)(\d{1,2})[-/.](\d{1,2})(?:[-/.](\d{4}|\d{2}))?(?!\d)/.exec(text);
  if (match === null) return null;
  let [day, month] = [Number(match[1]), Number(match[2])];
  // A date such as 11/25 has only one reading in any locale.
  if ((monthFirst && day <= 12) || month > 12) [day, month] = [month, day];
  return match[3] === undefined ? nextToCome(month, day, today) : valid(fullYear(match[3]), month, day);
};

const named = (words: Words, today: string): string | null => {
  for (const [at, word] of words.entries()) {
    const month = MONTHS.get(word) ?? MONTHS.get(words.slice(at, at + 2).join(' '));
    if (month === undefined) continue;
    const around = words.slice(Math.max(0, at - 2), at + 5);
    const days = around.map((one) => /^(\d{1,2})(?:st|nd|rd|th)?$/.exec(one)?.[1]).filter((one) => one !== undefined);
    const year = around.find((one) => /^\d{4}$/.test(one));
    if (days.length === 0) continue;
    return year === undefined ? nextToCome(month, Number(days[0]), today) : valid(Number(year), month, Number(days[0]));
  }
  return null;
};

const relative = (words: Words, today: string): string | null => {
  const informative = words.filter((word) => !NOISE.test(word));
  const days = FROM_TODAY.get(words.join(' ')) ?? FROM_TODAY.get(informative.join(' '));
  if (days !== undefined) return addDays(today, days);
  for (const [at, word] of words.entries()) {
    const two = FROM_TODAY.get(words.slice(at, at + 2).join(' '));
    const ahead = two ?? FROM_TODAY.get(word);
    if (ahead !== undefined) return addDays(today, ahead);
    const weekday = WEEKDAYS.get(word) ?? (words.length <= 4 ? WEEKDAYS.get(`ال${word}`) : undefined);
    if (weekday === undefined) continue;
    const now = new Date(`${today}T00:00:00Z`).getUTCDay();
    return addDays(today, (weekday - now + 7) % 7 || 7);
  }
  return null;
};
