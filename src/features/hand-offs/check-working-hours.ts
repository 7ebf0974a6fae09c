import type { WorkingHours } from '../../../contract/dashboard/hand-offs.ts';
import { invalidAt, type Refusal } from '../../../contract/problems.ts';
import type { Hours, Range } from '../../kernel/working-hours.ts';

/**
 * In addition to the ranges, the stored hours contain one range for all days, which nodes of the previous release
 * read.
 */
export function completeHours(hours: WorkingHours): WorkingHours {
  const ranges = rangesOf(hours);
  if (ranges.length === 0) throw missing();
  const days = [...new Set(ranges.map(({ day }) => day))].toSorted((one, other) => one - other);
  const from = ranges.map((one) => one.from).toSorted()[0]!;
  const to = ranges
    .map((one) => one.to)
    .toSorted()
    .at(-1)!;
  return { ...hours, ranges, days, from, to };
}

/** Rows that the previous release wrote have no ranges. */
export const hoursOf = (stored: WorkingHours): Hours => ({
  ranges: rangesOf(stored),
  time_zone: stored.time_zone,
  ...(stored.holidays && { holidays: stored.holidays }),
});

function rangesOf({ ranges, days = [], from, to }: WorkingHours): Range[] {
  if (ranges) return ranges;
  if (from === undefined || to === undefined) return [];
  return days.map((day) => ({ day, from, to }));
}

const missing = (): Refusal => invalidAt('/hours/ranges', 'required', 'Give at least one range of hours.');
