import { TZDate } from '@date-fns/tz';
import type { CampaignSettings } from '../../../contract/campaigns.ts';

/**
 * When a message may be sent, in the local time of its recipient. The time zone rules come from the library (Intl, so
 * the tz database): on the day of a clock change, 09:00 is still 09:00. Moments are searched, not computed: the opening
 * times of the coming days are listed, and the first one that is open is taken.
 */
type Hours = Pick<CampaignSettings, 'window' | 'quiet_hours'>;

/** Two weeks and a day: a window of one weekday whose next hours are skipped by a clock change opens the week after. */
const DAYS_AHEAD = 16;
/** The amounts by which clocks are set back; times in that span occur twice. */
const PUT_BACK_MS = [30, 60, 120].map((minutes) => minutes * 60_000);

/** The moment itself if it is open, else the next open one; null when there is none. */
export function nextOpening(hours: Hours, timeZone: string, at: Date): Date | null {
  if (!hours.window && !hours.quiet_hours) return at;
  if (isOpen(hours, new TZDate(at, timeZone))) return at;
  const today = new TZDate(at, timeZone);
  const clocks = ['00:00', hours.window?.from, hours.quiet_hours?.to].flatMap((clock) => clock ?? []);
  const candidates = Array.from({ length: DAYS_AHEAD }, (_, day) => day).flatMap((day) =>
    clocks.map((clock) => atClock(today, day, clock, timeZone)),
  );
  const all = [...candidates, ...candidates.flatMap((one) => itsTwin(one, at, timeZone))];
  for (const candidate of all.toSorted((a, b) => a.getTime() - b.getTime()))
    if (candidate > at && isOpen(hours, new TZDate(candidate, timeZone))) return candidate;
  return null;
}

function atClock(today: TZDate, day: number, clock: string, timeZone: string): Date {
  const [hour, minute] = clock.split(':').map(Number);
  return new Date(
    new TZDate(today.getFullYear(), today.getMonth(), today.getDate() + day, hour!, minute!, timeZone).getTime(),
  );
}

/** The other moment with the same local time; computed only near `at`, because it matters only there. */
function itsTwin(one: Date, at: Date, timeZone: string): Date[] {
  if (Math.abs(one.getTime() - at.getTime()) > Math.max(...PUT_BACK_MS)) return [];
  return PUT_BACK_MS.flatMap((by) => [by, -by])
    .map((by) => new Date(one.getTime() + by))
    .filter((other) => clockOf(other, timeZone) === clockOf(one, timeZone));
}

const clockOf = (moment: Date, timeZone: string): string => new TZDate(moment, timeZone).toTimeString().slice(0, 5);

function isOpen({ window, quiet_hours: quiet }: Hours, local: TZDate): boolean {
  const minutes = local.getHours() * 60 + local.getMinutes();
  if (quiet && isBetween(minutes, quiet.from, quiet.to)) return false;
  if (!window) return true;
  if (!isBetween(minutes, window.from, window.to) && window.from !== window.to) return false;
  // After midnight, hours that began in the evening belong to the day on which they began.
  const isPastMidnight = minutesOf(window.from) > minutesOf(window.to) && minutes < minutesOf(window.to);
  const weekday = ((local.getDay() + (isPastMidnight ? 5 : 6)) % 7) + 1;
  return !window.days || window.days.includes(weekday);
}

/** Start inclusive, end exclusive; the hours may pass midnight. */
function isBetween(minutes: number, from: string, to: string): boolean {
  const [start, end] = [minutesOf(from), minutesOf(to)];
  return start <= end ? minutes >= start && minutes < end : minutes >= start || minutes < end;
}

const minutesOf = (clock: string): number => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3));
