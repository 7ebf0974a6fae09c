import { type RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible';

/** One of several counters that a call is counted against. */
export type Counted = readonly [limiter: RateLimiterAbstract, name: string];

/**
 * Takes one call from each counter, or from none: what a later one refuses is given back to the earlier ones, so a refused
 * call lengthens no wait. The widest goes first: while it refuses, a flood of names leaves nothing in memory.
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
