/**
 * The days of a repeating campaign. The server and the page of a schedule compute the days with the functions of this
 * file.
 */
export type ScheduleDays = {
  /** The days of the week. 1 is Monday. */
  days: readonly number[];
  at: string;
  /**
   * The day of each month, which replaces the days of the week. In a shorter month, the last day of the month counts.
   */
  monthDay?: number | null;
};
/** The highest day number of a month. */
export const MAX_MONTH_DAY = 31;

export type ScheduledStart = { day: string; at: Date };

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** The earliest time zone is 14 hours ahead of UTC, and the latest is 12 hours behind UTC. */
const FIRST_ZONE = 14 * HOUR;
const LAST_ZONE = 12 * HOUR;

/** Returns the moment when a day has ended in every time zone. */
export const endOfDay = (day: string): Date => new Date(Date.parse(day) + DAY + LAST_ZONE);

/** Returns the moment when a time of day arrives in the earliest time zone. */
export const scheduledStart = (day: string, at: string): Date => new Date(Date.parse(`${day}T${at}:00Z`) - FIRST_ZONE);

/** Returns the next starts after the given moment, on days after `last`. */
export function nextStarts(
  { days, at, monthDay = null }: ScheduleDays,
  after: Date,
  count: number,
  last = '',
): ScheduledStart[] {
  const starts: ScheduledStart[] = [];
  if (days.length === 0 && monthDay === null) return starts;
  const isOn = (day: string): boolean => (monthDay === null ? days.includes(weekday(day)) : isMonthDay(day, monthDay));
  for (let time = Math.floor(after.getTime() / DAY) * DAY; starts.length < count; time += DAY) {
    const day = dayOf(time);
    const begins = scheduledStart(day, at);
    if (begins > after && day > last && isOn(day)) starts.push({ day, at: begins });
  }
  return starts;
}

const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

const isMonthDay = (day: string, wanted: number): boolean => {
  const [year, month, date] = day.split('-').map(Number) as [number, number, number];
  return date === Math.min(wanted, new Date(Date.UTC(year, month, 0)).getUTCDate());
};

/** Returns the day of the week. 1 is Monday. */
export const weekday = (day: string): number => ((new Date(day).getUTCDay() + 6) % 7) + 1;
