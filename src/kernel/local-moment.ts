import { tzOffset } from '@date-fns/tz';

const DAY_MS = 86_400_000;

/**
 * Returns the first moment at which the clocks of a time zone show `local`, in milliseconds. `local` is the time of the
 * clocks as if they showed UTC. If a clock change skips the time, the moment is as much after the change as `local`.
 * Unlike a `TZDate` made from a year and a month, the result does not depend on the time zone of the process.
 */
export function momentOf(local: number, timeZone: string): number {
  const offset = (at: number): number => tzOffset(timeZone, new Date(at)) * 60_000;
  const [early, late] = [local - offset(local - DAY_MS), local - offset(local + DAY_MS)].toSorted((a, b) => a - b);
  return [early!, late!].find((at) => at + offset(at) === local) ?? late!;
}
