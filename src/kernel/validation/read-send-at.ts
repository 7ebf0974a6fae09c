import type { Fault } from '../../../contract/problems.ts';

/** The maximum number of days by which a message can be scheduled ahead. */
const MAX_SCHEDULE_DAYS = 366;

/** The time at which a message is to be sent. Null: the message is sent now. A time in the past also means now. */
export function readSendAt(text: string | null | undefined, faults: Fault[]): Date | null {
  if (text === null || text === undefined) return null;
  const at = new Date(text);
  if (at.getTime() > Date.now() + MAX_SCHEDULE_DAYS * 86_400_000) {
    faults.push({ pointer: '/send_at', code: 'too_late', detail: `At most ${MAX_SCHEDULE_DAYS} days ahead.` });
  }
  return at.getTime() > Date.now() ? at : null;
}
