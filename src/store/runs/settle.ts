import { timeOfId } from '../../kernel/ids.ts';

/**
 * People split one thought over several messages, and providers send stored messages in bursts: a turn starts only when
 * no further message has arrived for this long …
 */
export const SETTLE_MS = 500;
/** … and at the latest this long after the first unanswered message. */
export const MAX_SETTLE_MS = 10_000;

/**
 * The start of the wait, in SQL: the moment of storing. `now()` is the start of the transaction, long before if it had
 * to wait for the conversation.
 */
export const STORING = 'clock_timestamp()';

/** How long the turn that answers a message from now waits; `first`: the oldest message that it will answer. */
export function settleMs(first: string | null, now = Date.now()): number {
  if (first === null) return SETTLE_MS;
  return Math.max(0, Math.min(SETTLE_MS, timeOfId(first) + MAX_SETTLE_MS - now));
}
