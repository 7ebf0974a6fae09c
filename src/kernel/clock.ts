/**
 * Makes time a dependency, so that tests can replace it. `wall`: the time that people see (milliseconds since 1970).
 * `monotonic`: a time that never goes back, for waits and leases (milliseconds from an arbitrary start).
 */
export type Clock = { wall(): number; monotonic(): number };

export const systemClock: Clock = { wall: () => Date.now(), monotonic: () => performance.now() };

/** Writes a time as RFC 3339 in UTC with milliseconds, the only time format of the API. */
export const timestamp = (at: Date | number): string => new Date(at).toISOString();
