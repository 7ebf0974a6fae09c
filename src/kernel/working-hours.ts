/**
 * The hours on days of the week (1 is Monday), in a time zone. If `to` is before `from`, the hours end at `to` on the
 * next day. If start and end are equal, the hours cover the whole day.
 */
export type Range = { day: number; from: string; to: string };
export type Hours = { ranges: readonly Range[]; holidays?: readonly { date: string }[]; time_zone: string };

/** A day of the week, and a date as YYYY-MM-DD. */
type Day = { day: number; date: string };
const DAY_MS = 86_400_000;

/**
 * Hours belong to the day on which they begin: 22:00 to 06:00 on Fridays includes Saturday at 03:00, and a holiday on
 * Friday ends both parts.
 */
export function isWithin({ ranges, holidays = [], time_zone }: Hours, at: Date): boolean {
  const { today, yesterday, clock } = localTime(time_zone, at);
  const isOn = (range: Range, { day, date }: Day): boolean =>
    range.day === day && !holidays.some((one) => one.date === date);
  return ranges.some((range) => {
    const { from, to } = range;
    if (from < to) return isOn(range, today) && clock >= from && clock < to;
    return (isOn(range, today) && clock >= from) || (isOn(range, yesterday) && clock < to);
  });
}

function localTime(timeZone: string, at: Date): { today: Day; yesterday: Day; clock: string } {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    calendar: 'gregory',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).formatToParts(at);
  const part = (type: string): string => parts.find((one) => one.type === type)!.value;
  const midnight = Date.parse(`${part('year')}-${part('month')}-${part('day')}T00:00:00Z`);
  return { today: dayOf(midnight), yesterday: dayOf(midnight - DAY_MS), clock: `${part('hour')}:${part('minute')}` };
}

const dayOf = (midnight: number): Day => ({
  day: new Date(midnight).getUTCDay() || 7,
  date: new Date(midnight).toISOString().slice(0, 10),
});
