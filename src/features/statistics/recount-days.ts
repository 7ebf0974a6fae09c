const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
/**
 * The age at which a count is too old, for today, for a day that ended less than three days ago, and for an older day.
 * After `finalAfter`, a count never changes.
 */
const AGES = { today: 60_000, recent: HOUR_MS, older: DAY_MS, recentDays: 3 * DAY_MS, finalAfter: 30 * DAY_MS };
/** The longest time that one request spends on counting. The next request continues the counting. */
const MAX_COUNTING_MS = 3_000;

/** A day, with its first millisecond and the first millisecond of the next day. */
export type Day = { day: string; from: number; to: number };

/**
 * Counts the days whose count is too old, in the order of the list. At least one day is counted, so repeated calls
 * finish. Returns true if all days are counted.
 */
export async function recountDays(
  days: readonly Day[],
  countedAt: ReadonlyMap<string, Date>,
  now: number,
  count: (day: Day) => Promise<void>,
): Promise<boolean> {
  const until = performance.now() + MAX_COUNTING_MS;
  for (const day of days) {
    if (!isTooOld(countedAt.get(day.day), day, now)) continue;
    if (performance.now() > until) return false;
    // The days are counted one after another, so that readers of statistics leave connections for accepted calls.
    await count(day);
  }
  return true;
}

/** The times of the counts of these days. */
export const timesOf = (days: readonly { day: string; countedAt: Date }[]): Map<string, Date> =>
  new Map(days.map(({ day, countedAt }) => [day, countedAt]));

/** True if the counts of all given days are recent enough. */
export const isCounted = (days: readonly Day[], countedAt: ReadonlyMap<string, Date>, now: number): boolean =>
  days.every((day) => !isTooOld(countedAt.get(day.day), day, now));

function isTooOld(countedAt: Date | undefined, { to }: Day, now: number): boolean {
  if (!countedAt) return true;
  const [age, sinceEnd] = [now - countedAt.getTime(), now - to];
  if (sinceEnd < 0) return age >= AGES.today;
  // The count was made before the day ended, or before the count was final.
  const left = countedAt.getTime() - to;
  if (left < 0) return age >= AGES.today;
  if (left > AGES.finalAfter) return false;
  return age >= (sinceEnd < AGES.recentDays ? AGES.recent : AGES.older);
}

/** For an even number of values, the result is the lower of the two middle values, so that it is a real wait. */
export function median(values: readonly number[]): number | null {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? null;
}
