/** A worker that looks late may catch up on this much and no more: the rest of a pause is not made up for. */
const CATCH_UP_MS = 1_000;

/** How many may go out now at a pace, and until when the next has to wait then. Without a pace, all. */
export function paced(
  perMinute: number | undefined,
  pacedUntil: Date | null,
  now: Date,
): { room: number; after(used: number): Date | null } {
  if (perMinute === undefined) return { room: Number.POSITIVE_INFINITY, after: () => null };
  const interval = 60_000 / perMinute;
  const isFresh = pacedUntil !== null && pacedUntil.getTime() >= now.getTime() - CATCH_UP_MS;
  const from = isFresh ? pacedUntil.getTime() : now.getTime();
  const room = from > now.getTime() ? 0 : Math.floor((now.getTime() - from) / interval) + 1;
  return {
    room,
    // Rounded up, because the database keeps milliseconds and the pace is a promise.
    after: (used) => (used === 0 ? pacedUntil : new Date(Math.ceil(from + used * interval))),
  };
}
