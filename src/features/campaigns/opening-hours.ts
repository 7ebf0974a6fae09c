import { TZDate } from '@date-fns/tz';
import type { CampaignSettings } from '../../../contract/campaigns.ts';

/**
 * When a message may go out, on the clock of the person who gets it. The zone's rules are the library's (that of Intl,
 * so of the tz database): on the day the clocks change, 09:00 is still 09:00. Instants are found, not computed: the
 * hours at which something opens are laid out for the coming days, and the first of them that is open is taken.
 */
type Hours = Pick<CampaignSettings, 'window' | 'quiet_hours'>;

/** A week and a day: a window of one weekday whose hours have just passed opens within it. */
const DAYS_AHEAD = 9;

/** The moment itself if it is open, else the next one that is; null when there is none. */
export function nextOpening(hours: Hours, timeZone: string, at: Date): Date | null {
  if (!hours.window && !hours.quiet_hours) return at;
  if (isOpen(hours, new TZDate(at, timeZone))) return at;
  const today = new TZDate(at, timeZone);
  const clocks = ['00:00', hours.window?.from, hours.quiet_hours?.to].flatMap((clock) => clock ?? []);
  const candidates = Array.from({ length: DAYS_AHEAD }, (_, day) => day).flatMap((day) =>
    clocks.map((clock) => atClock(today, day, clock, timeZone)),
  );
  for (const candidate of candidates.toSorted((a, b) => a.getTime() - b.getTime()))
    if (candidate > at && isOpen(hours, new TZDate(candidate, timeZone))) return candidate;
  return null;
}

function atClock(today: TZDate, day: number, clock: string, timeZone: string): Date {
  const [hour, minute] = clock.split(':').map(Number);
  return new Date(
    new TZDate(today.getFullYear(), today.getMonth(), today.getDate() + day, hour!, minute!, timeZone).getTime(),
  );
}

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

/** From the first moment on and before the last one; the hours may pass midnight. */
function isBetween(minutes: number, from: string, to: string): boolean {
  const [start, end] = [minutesOf(from), minutesOf(to)];
  return start <= end ? minutes >= start && minutes < end : minutes >= start || minutes < end;
}

const minutesOf = (clock: string): number => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3));
