/**
 * Hours on certain days of the week (1 is Monday), in a time zone. If `to` is before `from`, the hours end at `to` on
 * the next day.
 */
export type Hours = { days: readonly number[]; from: string; to: string; time_zone: string };

const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

/** Hours belong to the day on which they begin: 22:00 to 06:00 on Fridays includes Saturday at 03:00. */
export function isWithin({ days, from, to, time_zone }: Hours, at: Date): boolean {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone: time_zone,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).formatToParts(at);
  const part = (type: string): string => parts.find((one) => one.type === type)!.value;
  const today = DAYS.indexOf(part('weekday')) + 1;
  const yesterday = today === 1 ? 7 : today - 1;
  const clock = `${part('hour')}:${part('minute')}`;
  if (from < to) return days.includes(today) && clock >= from && clock < to;
  return (days.includes(today) && clock >= from) || (days.includes(yesterday) && clock < to);
}
