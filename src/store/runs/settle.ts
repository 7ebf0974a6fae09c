import { timeOfId } from '../../kernel/ids.ts';

/**
 * People write one thought in several messages, and providers hand over what they kept in bursts: a turn begins only
 * when nothing more has come for so long …
 */
export const SETTLE_MS = 500;
/** … and at the latest so long after the first message that nobody has answered. */
export const MAX_SETTLE_MS = 10_000;

/**
 * From when the turn waits, in SQL: the moment of storing. `now()` is when the transaction began, long before if it had
 * to wait for the conversation.
 */
export const STORING = 'clock_timestamp()';

/** How long the turn waits that answers a message which came now; `first`: the oldest one it will answer. */
export function settleMs(first: string | null, now = Date.now()): number {
  if (first === null) return SETTLE_MS;
  return Math.max(0, Math.min(SETTLE_MS, timeOfId(first) + MAX_SETTLE_MS - now));
}
