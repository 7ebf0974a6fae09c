/**
 * After a delay of at most this time, a worker also sends the delayed messages. After a longer delay, the pace starts
 * again at the current time.
 */
const CATCH_UP_MS = 1_000;

/**
 * Returns the number of messages that a rate limit allows now, and the time until which the next message must wait.
 * Without a rate limit, all messages are allowed.
 */
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
    // The time is rounded up, because the database stores milliseconds and the pace is an upper limit.
    after: (used) => (used === 0 ? pacedUntil : new Date(Math.ceil(from + used * interval))),
  };
}
