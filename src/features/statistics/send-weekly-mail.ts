import { DASHBOARD_BASE } from '../../../contract/dashboard/routes.ts';
import { groupQuestions } from '../../engine/knowledge/group-questions.ts';
import { listBrokenChannels } from '../../store/channels/channels.ts';
import { readMissed } from '../../store/conversations/missed-questions.ts';
import type { Db } from '../../store/db.ts';
import type { QueueMail } from '../../store/mail.ts';
import { claimWeek, listDueOrganizations, type WeeklyReader } from '../../store/statistics/weekly-mail.ts';
import { readOrganization } from '../../store/organizations/organizations.ts';
import { readStatistics } from './read-statistics.ts';
import { type Week, weeklyMailText } from './weekly-mail-text.ts';
import { signWeeklyLink } from './weekly-link.ts';

export type WeeklyMailsDeps = {
  db: Db;
  queueMail: QueueMail | null;
  /** The HMAC key of the links that stop the mail. */
  setupKey: Buffer;
  baseUrl: string;
  now?: () => number;
};

const WEEK_MS = 7 * 86_400_000;
/**
 * The first UTC hour in which any zone has Monday at eight is Sunday at 18:00. The last hour for a late mail is
 * Wednesday at 20:00.
 */
const SUNDAY = { day: 0, fromHour: 18 };
const LAST_DAY = 3;
/**
 * One round handles at most this many organizations, because each organization needs a count of two weeks. Further
 * organizations wait for the next round.
 */
const MAX_ORGANIZATIONS = 100;
const MAX_QUESTIONS_READ = 500;
const MAX_QUESTIONS = 5;
const MAX_CHANNELS = 20;

/**
 * Mails the statistics of the week to every member who wants them, on Monday at eight in the organization's time zone.
 * One transaction writes the mails and the mark that they are queued. Each mail is queued once, even if several nodes
 * send mails or a node is killed. A week without activity is marked without a mail.
 */
export async function sendWeeklyMails(deps: WeeklyMailsDeps): Promise<void> {
  const now = deps.now?.() ?? Date.now();
  if (deps.queueMail === null || !mayBeDue(new Date(now))) return;
  let failure: unknown;
  for (const orgId of await listDueOrganizations(deps.db, new Date(now), MAX_ORGANIZATIONS)) {
    try {
      await mailOrganization(deps, deps.queueMail, orgId, now);
    } catch (error) {
      // After a failure of one organization, the other organizations still get their mails.
      failure ??= error;
    }
  }
  if (failure !== undefined) throw failure;
}

/** Avoids queries on days without a weekly mail. */
const mayBeDue = (at: Date): boolean =>
  at.getUTCDay() === SUNDAY.day ? at.getUTCHours() >= SUNDAY.fromHour : at.getUTCDay() <= LAST_DAY;

async function mailOrganization(
  deps: WeeklyMailsDeps,
  queueMail: QueueMail,
  orgId: string,
  now: number,
): Promise<void> {
  const week = await readWeek(deps, orgId, now);
  // The week is still being counted, and the next round continues.
  if (week === null) return;
  const isQuiet = hasNothing(week);
  await deps.db.transaction(async (tx) => {
    for (const reader of await claimWeek(tx, orgId, new Date(now)))
      if (!isQuiet) await queueMail(tx, mailTo(deps, orgId, reader, week));
  });
}

async function readWeek({ db }: WeeklyMailsDeps, orgId: string, now: number): Promise<Week | null> {
  const numbers = await readStatistics({ db, now: () => now }, orgId, '7d');
  const organization = await readOrganization(db, orgId);
  if (!numbers.complete || !organization) return null;
  const missed = await groupQuestions(await readMissed(db, orgId, null, new Date(now - WEEK_MS), MAX_QUESTIONS_READ));
  // The sort is stable, so the newest of equally large groups comes first.
  const biggest = missed.toSorted((a, b) => b.length - a.length).slice(0, MAX_QUESTIONS);
  const agents = new Set(biggest.flatMap((members) => members.map(({ agentId }) => agentId)));
  return {
    organization: organization.name,
    numbers,
    questions: biggest.map((members) => ({ text: members[0]!.text, count: members.length })),
    agentId: agents.size === 1 ? [...agents][0]! : null,
    brokenChannels: await listBrokenChannels(db, orgId, MAX_CHANNELS),
  };
}

const hasNothing = ({ numbers, questions, brokenChannels }: Week): boolean =>
  [numbers.conversations, numbers.handed_off, numbers.messages, numbers.calls].every(({ now }) => now === 0) &&
  questions.length === 0 &&
  brokenChannels.length === 0;

function mailTo(
  { setupKey, baseUrl }: WeeklyMailsDeps,
  orgId: string,
  { userId, email, language }: WeeklyReader,
  week: Week,
): Parameters<QueueMail>[1] {
  const link = signWeeklyLink(setupKey, { orgId, userId });
  const { stop, ...text } = weeklyMailText(week, { language, baseUrl });
  return {
    to: email,
    ...text,
    unsubscribe: {
      label: stop,
      link: `${baseUrl}/weekly-mail/${link}`,
      post: `${baseUrl}${DASHBOARD_BASE}/weekly-mail/${link}`,
    },
  };
}
