import { timeOfId } from '../../kernel/ids.ts';
import type { Db } from '../../store/db.ts';
import { readHoursOfFirstMessage } from '../../store/recipients/read.ts';
import { nextOpening } from './quiet-hours.ts';

/** Hours begin and end at whole minutes, so a run or message of the present minute needs no look-up. */
const minuteOf = (ms: number): number => Math.floor(ms / 60_000);

/**
 * The milliseconds until the first message of a campaign may be sent. The message was in the allowed hours when its
 * recipient was started. If no worker ran for a while, or a model or provider failed, the message may be in quiet hours
 * now. The result is 0 if it may be sent, or is not the first message to a recipient.
 */
export async function msToOpening(
  db: Db,
  orgId: string,
  first: { runId: string } | { messageId: string },
): Promise<number> {
  const now = new Date();
  const createdMs = timeOfId('runId' in first ? first.runId : first.messageId);
  if (minuteOf(createdMs) === minuteOf(now.getTime())) return 0;
  const found = await readHoursOfFirstMessage(db, orgId, first);
  if (found === null) return 0;
  const { settings, timeZone } = found;
  const opening = nextOpening(settings, timeZone ?? settings.time_zone ?? 'UTC', now) ?? now;
  return opening.getTime() - now.getTime();
}
