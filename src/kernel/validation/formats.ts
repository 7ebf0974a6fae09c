import { isCalendarDay } from '../calendar-day.ts';
import { isPhoneNumber } from '../phone-number.ts';

/**
 * The formats for schemas. Each format is strict, because a value that passes is stored and used without another check.
 */
export const FORMATS: Readonly<Record<string, { readonly test: (text: string) => boolean; readonly says: string }>> = {
  'date-time': { test: isDateTime, says: 'Must be a time in RFC 3339 with its offset, such as 2026-11-21T06:00:00Z.' },
  date: { test: isCalendarDay, says: 'Must be a date, such as 2026-11-21.' },
  email: { test: isEmail, says: 'Must be an e-mail address.' },
  phone: { test: isPhoneNumber, says: 'Must be a phone number in E.164, such as +97430000000.' },
  uri: { test: isUri, says: 'Must be a whole URL. Start with https://, for example https://shop.example.' },
  locale: { test: isLocale, says: 'Must be a BCP 47 language tag, such as ar or ar-QA.' },
  line: { test: isLine, says: 'Must be one line, without tabs and other control characters.' },
  'time-zone': { test: isTimeZone, says: 'Must be an IANA time zone, such as Asia/Qatar.' },
};

const DATE_TIME =
  /^(\d{4}-\d\d-\d\d)[Tt]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

/** The database accepts no offset beyond ±15:59 and no year 0, and one invalid time would stop every queue. */
const MAX_OFFSET_HOURS = 15;

function isDateTime(text: string): boolean {
  const match = DATE_TIME.exec(text);
  if (match === null || !isCalendarDay(match[1]!) || Number(match[5] ?? 0) > MAX_OFFSET_HOURS) return false;
  const year = new Date(text).getUTCFullYear();
  return year >= 1 && year <= 9999;
}

/**
 * Accepts addresses that mail providers accept in practice: one @, a domain with a dot, and no character that needs
 * quotes. A top-level domain is not a number, and no label begins or ends with a hyphen. The pattern includes combining
 * marks, because Hindi domains contain both letters and marks.
 */
const EMAIL =
  /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~.-]{1,64}@(?=.{1,253}$)(?:(?!-)[\p{L}\p{M}\p{N}-]{1,63}(?<!-)\.)+(?=.*\p{L})(?!-)[\p{L}\p{M}\p{N}-]{2,63}(?<!-)$/u;

function isEmail(text: string): boolean {
  return (
    text.length <= 254 && EMAIL.test(text) && !text.includes('..') && !text.startsWith('.') && !text.includes('.@')
  );
}

function isUri(text: string): boolean {
  // The class URL would accept spaces, tabs and line breaks by removing them.
  return /^https?:\/\/[^\s\\]+$/i.test(text) && URL.canParse(text);
}

function isLocale(text: string): boolean {
  try {
    // The syntax allows languages of more than three letters, but they do not exist. For example, "english" is a name
    // and not a tag.
    return text.length <= 35 && new Intl.Locale(text).language.length <= 3;
  } catch {
    return false;
  }
}

function isLine(text: string): boolean {
  return !/[\p{Cc}\u2028\u2029]/u.test(text);
}

/** The results are cached, because a call of Intl takes tens of microseconds, and about six hundred names exist. */
const zones = new Map<string, boolean>();
const MAX_ZONES = 2_000;

function isTimeZone(text: string): boolean {
  const known = zones.get(text);
  if (known !== undefined) return known;
  const valid = /^[A-Za-z][\w+/-]{0,63}$/.test(text) && intlKnows(text);
  if (zones.size < MAX_ZONES) zones.set(text, valid);
  return valid;
}

function intlKnows(timeZone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
