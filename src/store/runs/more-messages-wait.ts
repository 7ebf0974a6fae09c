import { timeOfId } from '../../kernel/ids.ts';

/**
 * People split one thought over several messages, and providers send stored messages in bursts. A turn starts only when
 * no further message has arrived for this time.
 */
export const MORE_MESSAGES_MS = 500;
/** A turn starts at the latest this long after the first unanswered message. */
export const MAX_MORE_MESSAGES_MS = 10_000;

/**
 * The SQL for the start of the wait, which is the time at which the message is stored. `now()` is the start of the
 * transaction, which is much earlier if the transaction had to wait for the conversation.
 */
export const STORING = 'statement_timestamp()';

/**
 * How long a turn waits if it answers a message that arrives now. `first`: the oldest message that the turn will
 * answer.
 */
export function moreMessagesWaitMs(first: string | null, now = Date.now()): number {
  if (first === null) return MORE_MESSAGES_MS;
  return Math.max(0, Math.min(MORE_MESSAGES_MS, timeOfId(first) + MAX_MORE_MESSAGES_MS - now));
}
