import { createHash } from 'node:crypto';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { RATE_WINDOW_SECONDS } from '../../../contract/limits.ts';
import { Refusal } from '../../../contract/problems.ts';
import { countedPlace } from '../api-keys/networks.ts';
import type { SharedCounters } from './shared-counters.ts';
import { giveBackToAll, takeFromAll } from './take-from-all.ts';

/**
 * Limits the reports of leaked keys per minute, from one network address and in total. Signed reports have separate
 * counters, so that a flood of unsigned reports does not block a scanner. Without `shared`, every node counts
 * separately, and with `shared`, all nodes count together.
 */
export type LeakReportLimit = { take(kind: 'signed' | 'unsigned', address: string): Promise<void> };

export type LeakReportLimits = Record<'signed' | 'unsigned', { address: number; all: number }>;

export const LEAK_REPORT_LIMITS: LeakReportLimits = {
  signed: { address: 300, all: 600 },
  unsigned: { address: 10, all: 60 },
};

const limiter = (points: number) => new RateLimiterMemory({ points, duration: RATE_WINDOW_SECONDS });

/** The method `take` throws `rate_limited`. */
export function createLeakReportLimit(
  limits: LeakReportLimits = LEAK_REPORT_LIMITS,
  shared: SharedCounters | null = null,
): LeakReportLimit {
  const counters = {
    signed: { address: limiter(limits.signed.address), all: limiter(limits.signed.all) },
    unsigned: { address: limiter(limits.unsigned.address), all: limiter(limits.unsigned.all) },
  };
  return {
    async take(kind, address) {
      const from = createHash('sha256').update(countedPlace(address)).digest('base64url').slice(0, 22);
      const counted = [[counters[kind].all, 'all'] as const, [counters[kind].address, from] as const];
      if (!(await takeFromAll(counted))) throw tooMany();
      // The braces keep both counters on one server of a Redis cluster.
      const taken = await shared?.take([
        { name: `{leaks}:${kind}:from:${from}`, limit: limits[kind].address },
        { name: `{leaks}:${kind}`, limit: limits[kind].all },
      ]);
      if (!taken || taken.refusedBy === null) return;
      await giveBackToAll(counted);
      throw tooMany();
    },
  };
}

const tooMany = (): Refusal =>
  new Refusal('rate_limited', 'Too many reports of leaked keys. Wait a minute and send it again.');
