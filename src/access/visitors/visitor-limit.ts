import { createHash } from 'node:crypto';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { RATE_WINDOW_SECONDS } from '../../../contract/limits.ts';
import { Refusal } from '../../../contract/problems.ts';
import { countedPlace } from '../api-keys/networks.ts';
import type { SharedCounters } from '../limits/shared-counters.ts';
import { type Counted, giveBackToAll, takeFromAll } from '../limits/take-from-all.ts';

/**
 * Strangers on the internet use a model for which the customer pays, so each call counts for the visitor, the network
 * address and the channel. As for keys (src/access/limits/limits.ts), the window is one minute, and refused calls do
 * not extend the window. Without `shared`, every node counts alone, and with `shared`, all nodes also count together.
 */
export type VisitorCall = 'open' | 'say' | 'send_file' | 'look';

export type VisitorLimit = {
  /** The method throws `rate_limited`. `visitor` is null while the visitor is unknown. */
  take(call: VisitorCall, who: { address: string; channelId: string; visitor: string | null }): Promise<void>;
};

export type VisitorLimits = Record<VisitorCall, { visitor: number; address: number; channel: number }>;

/** The limits are calls per minute. Many people may share one network address (an office, a mobile network). */
export const VISITOR_LIMITS: VisitorLimits = {
  open: { visitor: 30, address: 60, channel: 3_000 },
  say: { visitor: 20, address: 120, channel: 3_000 },
  // Each file may have 10 MiB, so few files are allowed.
  send_file: { visitor: 10, address: 30, channel: 300 },
  look: { visitor: 120, address: 1_200, channel: 30_000 },
};

const limiter = (points: number) => new RateLimiterMemory({ points, duration: RATE_WINDOW_SECONDS });

export function createVisitorLimit(
  limits: VisitorLimits = VISITOR_LIMITS,
  shared: SharedCounters | null = null,
): VisitorLimit {
  const counters = Object.fromEntries(
    Object.entries(limits).map(([call, { visitor, address, channel }]) => [
      call,
      { visitor: limiter(visitor), address: limiter(address), channel: limiter(channel) },
    ]),
  ) as Record<VisitorCall, Record<'visitor' | 'address' | 'channel', RateLimiterMemory>>;

  return {
    async take(call, { address, channelId, visitor }) {
      const counter = counters[call];
      const limit = limits[call];
      const from = digest(address);
      const counted: Counted[] = [
        [counter.channel, channelId],
        [counter.address, from],
      ];
      if (visitor !== null) counted.push([counter.visitor, `${channelId} ${visitor}`]);
      if (!(await takeFromAll(counted))) throw tooMany();
      // The braces keep all counters on one server of a Redis cluster.
      const place = `{${channelId}}:${call}`;
      const taken = await shared?.take([
        ...(visitor === null ? [] : [{ name: `${place}:visitor:${visitor}`, limit: limit.visitor }]),
        { name: `${place}:from:${from}`, limit: limit.address },
        { name: place, limit: limit.channel },
      ]);
      if (!taken || taken.refusedBy === null) return;
      await giveBackToAll(counted);
      throw tooMany();
    },
  };
}

const tooMany = (): Refusal =>
  new Refusal('rate_limited', 'Too many calls from this visitor or network address. Wait a minute.', {});

/** The limiter's memory contains no addresses. */
const digest = (address: string): string =>
  createHash('sha256').update(countedPlace(address)).digest('base64url').slice(0, 22);
