/**
 * Time as an argument. `wall` is what people see (milliseconds since 1970); `monotonic` only ever grows and is
 * the one to measure waits and leases with (milliseconds from an arbitrary start).
 */
export type Clock = { wall(): number; monotonic(): number };

export const systemClock: Clock = { wall: () => Date.now(), monotonic: () => performance.now() };

/** RFC 3339 in UTC with milliseconds, the only form of time on the wire. */
export const timestamp = (at: Date | number): string => new Date(at).toISOString();
