import type { Fault } from '../../../contract/problems.ts';

/** A message can be scheduled at most this many days ahead. */
export const MAX_SCHEDULE_DAYS = 366;

/**
 * Reads the time at which a message must be sent. Null if the message is sent now, which also applies to a time in the
 * past.
 */
export function readSendAt(text: string | null | undefined, faults: Fault[]): Date | null {
  if (text === null || text === undefined) return null;
  const at = new Date(text);
  if (at.getTime() > Date.now() + MAX_SCHEDULE_DAYS * 86_400_000) {
    faults.push({ pointer: '/send_at', code: 'too_late', detail: `At most ${MAX_SCHEDULE_DAYS} days ahead.` });
  }
  return at.getTime() > Date.now() ? at : null;
}
