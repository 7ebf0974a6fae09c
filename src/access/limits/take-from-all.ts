import { type RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible';

/** One of several counters for a call. */
export type Counted = readonly [limiter: RateLimiterAbstract, name: string];

/**
 * Takes one call from each counter, or from no counter. If a later counter refuses, the calls are returned to the
 * earlier counters, so a refused call extends no wait. The counter with the widest scope comes first, so that a flood
 * of names uses no memory while the counter refuses.
 */
export async function takeFromAll(counters: readonly Counted[]): Promise<boolean> {
  for (const [at, [limiter, name]] of counters.entries()) {
    try {
      await limiter.consume(name);
    } catch (error) {
      if (!(error instanceof RateLimiterRes)) throw error;
      await giveBackToAll(counters.slice(0, at + 1));
      return false;
    }
  }
  return true;
}

export async function giveBackToAll(counters: readonly Counted[]): Promise<void> {
  await Promise.all(counters.map(([limiter, name]) => limiter.reward(name)));
}
