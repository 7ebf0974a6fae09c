import type { Language } from '../../preferences.ts';

const MORNING = 9;
const LATER_HOURS = 3;

/** Returns the meanings of "later", in the time zone of this browser. */
export function nextTimes(now: Date): { name: 'later' | 'tomorrow' | 'monday'; at: Date }[] {
  const later = new Date(now.getTime() + LATER_HOURS * 3_600_000);
  const morning = (days: number): Date => new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, MORNING);
  const toMonday = (8 - now.getDay()) % 7 || 7;
  return [
    { name: 'later', at: later },
    { name: 'tomorrow', at: morning(1) },
    // On a Sunday, the next day is already Monday.
    ...(toMonday === 1 ? [] : [{ name: 'monday' as const, at: morning(toMonday) }]),
  ];
}

/** Returns a time such as "Tue 24 Nov, 09:00". */
export const timeTexts = (language: Language, at: Date): string =>
  new Intl.DateTimeFormat(`${language}-u-nu-latn`, {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: 'numeric',
    minute: '2-digit',
  }).format(at);
