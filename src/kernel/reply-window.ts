const HOUR_MS = 3_600_000;

/** When the hours end in which a channel takes words, after the person last wrote; null: the person never did. */
export const windowEnd = (hours: number, wrote: Date | null): Date | null =>
  wrote && new Date(wrote.getTime() + hours * HOUR_MS);

/** Whether words may be sent. `hours` null: the channel takes them at any time. */
export function isInWindow(hours: number | null, wrote: Date | null, now: number): boolean {
  if (hours === null) return true;
  const end = windowEnd(hours, wrote);
  return end !== null && now < end.getTime();
}
