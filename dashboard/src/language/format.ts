import type { Language } from '../preferences.ts';

/** Digits are Latin in both languages, because keys, IDs and code have only Latin digits. */
const LOCALES: Record<Language, string> = { en: 'en', ar: 'ar-u-nu-latn' };

const JUST_NOW: Record<Language, string> = { en: 'just now', ar: 'الآن' };
const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/**
 * Returns a text such as "3 minutes ago" or "in 2 hours", or a short form such as "3m ago" with `narrow`. A time less
 * than ten seconds ago is "just now".
 */
export function relative(
  language: Language,
  at: string | number | Date,
  now: number,
  style: 'long' | 'narrow' = 'long',
): string {
  const seconds = Math.round((new Date(at).getTime() - now) / 1000);
  const size = Math.abs(seconds);
  const format = relativeFormat(language, style);
  if (size < 10) return JUST_NOW[language];
  if (size < MINUTE) return format.format(seconds, 'second');
  if (size < HOUR) return format.format(Math.trunc(seconds / MINUTE), 'minute');
  if (size < DAY) return format.format(Math.trunc(seconds / HOUR), 'hour');
  if (size < 30 * DAY) return format.format(Math.trunc(seconds / DAY), 'day');
  if (size < 365 * DAY) return format.format(Math.trunc(seconds / (30 * DAY)), 'month');
  return format.format(Math.trunc(seconds / (365 * DAY)), 'year');
}

/**
 * Returns a duration in its largest unit, such as "5 min" or "2 hr". Under a minute, the text of a duration is empty.
 */
export function lasting(language: Language, ms: number): string {
  const seconds = Math.trunc(ms / 1_000);
  const unit = seconds < MINUTE ? null : seconds < HOUR ? 'minute' : seconds < DAY ? 'hour' : 'day';
  if (unit === null) return '';
  const value = Math.trunc(seconds / { minute: MINUTE, hour: HOUR, day: DAY }[unit]);
  return numbers(language, { style: 'unit', unit, unitDisplay: 'short' }).format(value);
}

/** Returns a duration that may have seconds, such as "8 sec". */
export const duration = (language: Language, ms: number): string =>
  lasting(language, ms) ||
  numbers(language, { style: 'unit', unit: 'second', unitDisplay: 'short' }).format(Math.trunc(ms / 1_000));

/** Returns the only exact format, which is the same in every language, such as "2026-11-20 20:00:00 UTC". */
export const utc = (at: string | number | Date): string =>
  `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

/** Returns a time with milliseconds, for "refused everywhere since". */
export const utcTime = (at: string | number | Date): string => `${new Date(at).toISOString().slice(11, 23)} UTC`;

export const day = (language: Language, at: string | number | Date): string =>
  dates(language, { dateStyle: 'medium' }).format(new Date(at));

/**
 * Returns the name of a day that the server counted. The server's days are UTC days, regardless of the reader's time
 * zone.
 */
export const utcDay = (language: Language, at: string | number | Date): string =>
  dates(language, { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(at));

export const clock = (language: Language, at: string | number | Date): string =>
  dates(language, { timeStyle: 'short' }).format(new Date(at));

export const number = (language: Language, value: number): string => numbers(language, {}).format(value);

/** Returns "12.5%" for 0.125. */
export const percent = (language: Language, part: number): string =>
  numbers(language, { style: 'percent', maximumFractionDigits: 1 }).format(part);

/** Small amounts have many digits, because a turn costs a fraction of a cent. */
export const money = (language: Language, amount: number, currency: string): string =>
  `${numbers(language, { maximumFractionDigits: Math.abs(amount) < 1 ? 6 : 2 }).format(amount)} ${currency}`;

export const list = (language: Language, items: readonly string[]): string =>
  new Intl.ListFormat(LOCALES[language], { type: 'conjunction' }).format(items);

/**
 * Returns the name of a region, such as "United States" or "الاتحاد الأوروبي", because the browser knows the names of
 * region codes.
 */
export const regionName = (language: Language, region: string): string =>
  new Intl.DisplayNames(LOCALES[language], { type: 'region' }).of(region.toUpperCase()) ?? region;

/** Returns "Arabic (Qatar)" for `ar-QA`. Extensions of a language tag (`ar-u-nu-latn`) are not part of the name. */
export const languageName = (language: Language, tag: string): string =>
  new Intl.DisplayNames(language, { type: 'language' }).of(new Intl.Locale(tag).baseName) ?? tag;

const SIZE_UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;

/** Returns a size such as "1.2 MB". */
export function sizeTexts(language: Language, bytes: number): string {
  const step = Math.min(SIZE_UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  return numbers(language, {
    style: 'unit',
    unit: SIZE_UNITS[step],
    maximumFractionDigits: step >= 2 ? 1 : 0,
  }).format(bytes / 1_000 ** step);
}

/** Creating a format takes up to a millisecond, and a list shows dozens of them. Each format is created only once. */
const known = new Map<string, unknown>();
function cached<F>(name: string, create: () => F): F {
  let format = known.get(name) as F | undefined;
  if (!format) known.set(name, (format = create()));
  return format;
}

const numbers = (language: Language, options: Intl.NumberFormatOptions): Intl.NumberFormat =>
  cached(`number ${language} ${JSON.stringify(options)}`, () => new Intl.NumberFormat(LOCALES[language], options));

/** The time zone of the browser may change while a page is open. */
const dates = (language: Language, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat =>
  cached(
    `date ${language} ${new Date().getTimezoneOffset()} ${JSON.stringify(options)}`,
    () => new Intl.DateTimeFormat(LOCALES[language], options),
  );

const relativeFormat = (language: Language, style: 'long' | 'narrow'): Intl.RelativeTimeFormat =>
  cached(
    `relative ${language} ${style}`,
    () => new Intl.RelativeTimeFormat(LOCALES[language], { numeric: 'auto', style }),
  );
