import type { WeeklyMailBody, WeeklyMailRecord } from '../../../contract/dashboard/weekly-mail.ts';
import { Refusal } from '../../../contract/problems.ts';
import type { Db } from '../../store/db.ts';
import type { QueueMail } from '../../store/mail.ts';
import {
  readWeeklyMail as readRow,
  stopWeeklyMail as stopRow,
  writeWeeklyMail,
} from '../../store/statistics/weekly-mail.ts';
import { readWeeklyLink } from './weekly-link.ts';

export type WeeklyMailDeps = { db: Db; queueMail: QueueMail | null; setupKey: Buffer; now?: () => number };

/** The database has its own list of time zones, which may be older than the browser's list. */
const UNKNOWN_ZONE = '22023';
const codeOf = (error: unknown): string | undefined =>
  ((error as { cause?: { code?: string } }).cause ?? (error as { code?: string })).code;

/** The operator can open an organization without being its member, and gets no mail about it. */
const NOT_A_MEMBER: WeeklyMailBody = { wanted: false, time_zone: 'UTC', language: 'en' };

export async function readWeeklyMail(
  { db, queueMail }: WeeklyMailDeps,
  orgId: string,
  userId: string,
): Promise<WeeklyMailRecord> {
  return { ...((await readRow(db, orgId, userId)) ?? NOT_A_MEMBER), sends: queueMail !== null };
}

/** The setting is a member's own choice, so the activity does not show it. */
export async function setWeeklyMail(
  deps: WeeklyMailDeps,
  orgId: string,
  userId: string,
  body: WeeklyMailBody,
): Promise<WeeklyMailRecord> {
  try {
    await writeWeeklyMail(deps.db, orgId, userId, body, new Date(deps.now?.() ?? Date.now()));
  } catch (error) {
    if (body.time_zone === 'UTC' || codeOf(error) !== UNKNOWN_ZONE) throw error;
    return setWeeklyMail(deps, orgId, userId, { ...body, time_zone: 'UTC' });
  }
  return readWeeklyMail(deps, orgId, userId);
}

/**
 * The link in the mail calls this function. A former member gets no mail, so the link of a former member has no effect.
 */
export async function stopWeeklyMail({ db, setupKey }: WeeklyMailDeps, link: string): Promise<void> {
  const reader = readWeeklyLink(setupKey, link);
  if (!reader) throw new Refusal('mail_link_not_found');
  await stopRow(db, reader.orgId, reader.userId);
}
