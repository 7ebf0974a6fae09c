/** True for an existing day, written as `2026-11-21`. */
export function isCalendarDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  // The class Date reads 30 February as 2 March, so the result must equal the input.
  const at = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text);
}

/** Dates outside the range are typing errors, because no organization has data of such days. */
export const FIRST_DAY = '2000-01-01';
export const LAST_DAY = '2199-12-31';
