import { MAX_SETTLE_MS, SETTLE_MS } from '../src/store/runs/settle.ts';
import { timeOfId } from '../src/kernel/ids.ts';

/** How often the agent may answer these messages of one person: on a slow machine what was sent as one burst may arrive as several. */
export function burstsOf(messageIds: readonly string[]): number {
  const times = messageIds.map(timeOfId);
  const pauses = times.filter((time, index) => index > 0 && time - times[index - 1]! > SETTLE_MS * 0.9);
  return 1 + pauses.length + Math.floor((times.at(-1)! - times[0]!) / MAX_SETTLE_MS);
}
