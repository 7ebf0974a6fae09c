import { TZDate } from '@date-fns/tz';
import type { CampaignSettings } from '../../../contract/campaigns.ts';
import { momentOf } from '../../kernel/local-moment.ts';

/**
 * Decides when a first message may be sent: within the window and outside the quiet hours of its campaign, in the local
 * time of its recipient. The time zone rules come from the library (Intl with the tz database), so 09:00 is still 09:00
 * on the day of a clock change. The code lists the opening times of the coming days and takes the first open time,
 * because a time cannot be computed directly.
 */
type Hours = Pick<CampaignSettings, 'window' | 'quiet_hours'>;

/**
 * The search covers two weeks and a day after today. If a clock change skips the next hours of a window on one weekday,
 * the window opens a week later.
 */
const DAYS_AHEAD = 16;
const [SOON, LATER] = [range(0, 3), range(3, DAYS_AHEAD)];
/**
 * Clocks are set back by one of the listed amounts. When clocks are set back, local times in this range occur twice.
 */
const PUT_BACK_MS = [30, 60, 120].map((minutes) => minutes * 60_000);

/** Returns the given time if it is open, otherwise the next open time. Null if no time is open. */
export function nextOpening(hours: Hours, timeZone: string, at: Date): Date | null {
  if (!hours.window && !hours.quiet_hours) return at;
  if (isOpen(hours, new TZDate(at, timeZone))) return at;
  const today = new TZDate(at, timeZone);
  const clocks = ['00:00', hours.window?.from, hours.quiet_hours?.to].flatMap((clock) => clock ?? []);
  // Most windows open again within three days. The later days are examined only if the first days have no opening.
  for (const days of [SOON, LATER]) {
    const candidates = days.flatMap((day) => clocks.flatMap((clock) => momentsOf(today, day, clock, timeZone)));
    const all = [...candidates, ...candidates.flatMap((one) => itsTwin(one, at, timeZone))];
    for (const candidate of all.toSorted((a, b) => a.getTime() - b.getTime()))
      if (candidate > at && isOpen(hours, new TZDate(candidate, timeZone))) return candidate;
  }
  return null;
}

/**
 * Does the same as `nextOpening` with a cache, for many people who share a few time zones and for times that increase.
 * A closed period is cached until it opens. The result is cached for each minute, because hours begin and end at whole
 * minutes. A result that is requested again is cached until the next boundary of the hours, unless the clocks change
 * before.
 */
export function rememberOpenings(hours: Hours): (timeZone: string, at: Date) => Date | null {
  if (!hours.window && !hours.quiet_hours) return (_zone, at) => at;
  type Stretch = { from: number; until: number; opens: Date | null };
  const known = new Map<string, Stretch>();
  return (timeZone, at) => {
    const time = at.getTime();
    const before = known.get(timeZone);
    if (before && time >= before.from && time < before.until)
      return before.opens && before.opens.getTime() > time ? before.opens : before.opens && at;
    const opens = nextOpening(hours, timeZone, at);
    const isOpenNow = opens?.getTime() === time;
    const until = isOpenNow
      ? before
        ? endOfStretch(hours, timeZone, at)
        : endOfMinute(time)
      : (opens?.getTime() ?? time + MINUTE_MS);
    known.set(timeZone, { from: time, until, opens });
    return opens;
  };
}

const MINUTE_MS = 60_000;
const endOfMinute = (time: number): number => (Math.floor(time / MINUTE_MS) + 1) * MINUTE_MS;

/** The time until which an open time certainly stays open. */
function endOfStretch({ window, quiet_hours: quiet }: Hours, timeZone: string, at: Date): number {
  const today = new TZDate(at, timeZone);
  const clocks = ['00:00', window?.from, window?.to, quiet?.from, quiet?.to].flatMap((clock) => clock ?? []);
  const ends = [0, 1]
    .flatMap((day) => clocks.map((clock) => atClock(today, day, clock, timeZone).getTime()))
    .filter((end) => end > at.getTime());
  const end = Math.min(...ends);
  const isSameClock = new TZDate(end, timeZone).getTimezoneOffset() === today.getTimezoneOffset();
  return isSameClock ? end : endOfMinute(at.getTime());
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, index) => from + index);
}

function atClock(today: TZDate, day: number, clock: string, timeZone: string): Date {
  const midnight = Date.UTC(today.getFullYear(), today.getMonth(), today.getDate() + day);
  return new Date(momentOf(midnight + minutesOf(clock) * MINUTE_MS, timeZone));
}

/**
 * Returns the moment with this local time. If a clock change skips the local time, returns the moment of the change and
 * the moment that is as much later as the local time would be.
 */
function momentsOf(today: TZDate, day: number, clock: string, timeZone: string): Date[] {
  const moment = atClock(today, day, clock, timeZone);
  const skipped = (minutesAt(new TZDate(moment, timeZone)) - minutesOf(clock) + DAY_MINUTES) % DAY_MINUTES;
  if (skipped === 0) return [moment];
  const offset = new TZDate(moment, timeZone).getTimezoneOffset();
  let [before, after] = [moment.getTime() - skipped * MINUTE_MS, moment.getTime()];
  while (after - before > MINUTE_MS) {
    const middle = before + Math.floor((after - before) / 2 / MINUTE_MS) * MINUTE_MS;
    if (new TZDate(middle, timeZone).getTimezoneOffset() === offset) after = middle;
    else before = middle;
  }
  return [new Date(after), moment];
}

const DAY_MINUTES = 1_440;

/**
 * Returns the other moment with the same local time, when a clock change repeats an hour. The repeated moment is
 * computed only near `at`, because other moments do not matter.
 */
function itsTwin(one: Date, at: Date, timeZone: string): Date[] {
  if (Math.abs(one.getTime() - at.getTime()) > Math.max(...PUT_BACK_MS)) return [];
  return PUT_BACK_MS.flatMap((by) => [by, -by])
    .map((by) => new Date(one.getTime() + by))
    .filter((other) => minutesAt(new TZDate(other, timeZone)) === minutesAt(new TZDate(one, timeZone)));
}

const minutesAt = (local: TZDate): number => local.getHours() * 60 + local.getMinutes();

function isOpen({ window, quiet_hours: quiet }: Hours, local: TZDate): boolean {
  const minutes = minutesAt(local);
  if (quiet && isBetween(minutes, quiet.from, quiet.to)) return false;
  if (!window) return true;
  if (!isBetween(minutes, window.from, window.to) && window.from !== window.to) return false;
  // After midnight, hours that began in the evening belong to the day on which they began.
  const isPastMidnight = minutesOf(window.from) > minutesOf(window.to) && minutes < minutesOf(window.to);
  const weekday = ((local.getDay() + (isPastMidnight ? 5 : 6)) % 7) + 1;
  return !window.days || window.days.includes(weekday);
}

/** The hours include their start and exclude their end. The hours may cross midnight. */
function isBetween(minutes: number, from: string, to: string): boolean {
  const [start, end] = [minutesOf(from), minutesOf(to)];
  return start <= end ? minutes >= start && minutes < end : minutes >= start || minutes < end;
}

const minutesOf = (clock: string): number => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3));
