import { MAX_MORE_MESSAGES_MS, MORE_MESSAGES_MS } from '../src/store/runs/more-messages-wait.ts';
import { timeOfId } from '../src/kernel/ids.ts';

/**
 * Counts the answers that the agent may give to messages of one person. On a slow machine, a burst of messages may
 * arrive as several bursts.
 */
export function burstsOf(messageIds: readonly string[]): number {
  const times = messageIds.map(timeOfId);
  const pauses = times.filter((time, index) => index > 0 && time - times[index - 1]! > MORE_MESSAGES_MS * 0.9);
  return 1 + pauses.length + Math.floor((times.at(-1)! - times[0]!) / MAX_MORE_MESSAGES_MS);
}
