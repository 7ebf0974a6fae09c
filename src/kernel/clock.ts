/**
 * Time as a dependency. `wall` is the time that people see (milliseconds since 1970). `monotonic` never goes back and
 * measures waits and leases (milliseconds from an arbitrary start).
 */
export type Clock = { wall(): number; monotonic(): number };

export const systemClock: Clock = { wall: () => Date.now(), monotonic: () => performance.now() };

/** RFC 3339 in UTC with milliseconds, the only time format of the API. */
export const timestamp = (at: Date | number): string => new Date(at).toISOString();
