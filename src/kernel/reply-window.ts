const HOUR_MS = 3_600_000;

/**
 * Returns the end of the time in which free messages may be sent on the channel, counted from the person's last
 * message. Null: the person has never written.
 */
export const windowEnd = (hours: number, wrote: Date | null): Date | null =>
  wrote && new Date(wrote.getTime() + hours * HOUR_MS);

/** True if a free message may be sent now. `hours`: null if the channel has no such limit. */
export function isInWindow(hours: number | null, wrote: Date | null, now: number): boolean {
  if (hours === null) return true;
  const end = windowEnd(hours, wrote);
  return end !== null && now < end.getTime();
}
