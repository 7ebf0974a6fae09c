import { TZDate } from '@date-fns/tz';
import { ANALYTICS_DAYS, MAX_ANALYTICS_DAYS } from '../../../contract/dashboard/analytics.ts';
import { invalidAt, type Refusal } from '../../../contract/problems.ts';
import { FIRST_DAY, LAST_DAY } from '../../kernel/calendar-day.ts';
import { momentOf } from '../../kernel/local-moment.ts';
import { type Day, DAY_MS } from './recount-days.ts';

/**
 * The days in a time zone, and the same number of days before them. The list of days and the list of earlier days begin
 * with the oldest day.
 */
export type Period = { days: Day[]; before: Day[] };

type Asked = { days?: number | undefined; since?: string | undefined; until?: string | undefined };

/** The period of a query. Without a first day, the period has 30 days. Without a last day, the period ends today. */
export function daysOfPeriod({ days, since, until }: Asked, timeZone: string, now: number): Period {
  const last = until ?? nameOf(now, timeZone);
  if (days !== undefined && since !== undefined) throw invalid('Give either the first day or the number of days.');
  const first = since ?? nameAfter(last, 1 - (days ?? ANALYTICS_DAYS));
  if (first < FIRST_DAY || last > LAST_DAY) throw invalid(`Days are between ${FIRST_DAY} and ${LAST_DAY}.`);
  const many = (Date.parse(last) - Date.parse(first)) / DAY_MS + 1;
  if (many < 1) throw invalid('The first day is after the last day.');
  if (many > MAX_ANALYTICS_DAYS) throw invalid(`A period has at most ${MAX_ANALYTICS_DAYS} days.`);
  const names = Array.from({ length: 2 * many }, (_, index) => nameAfter(first, index - many));
  const starts = [...names, nameAfter(last, 1)].map((name) => startOf(name, timeZone));
  const all = names.map((day, index) => ({ day, from: starts[index]!, to: starts[index + 1]! }));
  return { days: all.slice(many), before: all.slice(0, many) };
}

/** Returns the day in the time zone, such as `2026-11-23`. */
function nameOf(at: number, timeZone: string): string {
  const local = new TZDate(at, timeZone);
  return new Date(Date.UTC(local.getFullYear(), local.getMonth(), local.getDate())).toISOString().slice(0, 10);
}

const nameAfter = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);

const startOf = (day: string, timeZone: string): number => momentOf(Date.parse(day), timeZone);

const invalid = (detail: string): Refusal => invalidAt('/since', 'invalid', detail);
