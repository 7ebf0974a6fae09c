import { sql } from 'drizzle-orm';
import type pg from 'pg';
import { newId } from '../kernel/ids.ts';
import { type Key, open, placeOf, seal } from '../kernel/seal.ts';
import type { Queryable } from './db.ts';
import { named, rowsOf } from './named-statement.ts';
import { type Leased, leasedQueue } from './queue/leased-queue.ts';
import { mail as table } from './schema/mail.ts';

/** The content of a mail. The content has plain text, from which the worker creates the HTML. */
export type MailText = {
  subject: string;
  /** Paragraphs before the link. */
  lines: readonly string[];
  link?: { label: string; url: string };
  /** The mail shows lists under a heading, and each entry has its own link. */
  parts?: readonly MailPart[];
  /** Paragraphs after the link. */
  after?: readonly string[];
  /** If `language` is absent, the mail is in English. */
  language?: 'en' | 'ar';
  /**
   * A regular mail contains a way to stop it. `link` opens a page that asks for confirmation. `post` is for mail
   * programs (RFC 8058) and stops the mail immediately.
   */
  unsubscribe?: { label: string; link: string; post: string };
};

export type MailPart = { title: string; lines: readonly string[]; link?: { label: string; url: string } };

/**
 * Use this function for names in subjects and lines: any user may choose a name, and mail programs must not turn the
 * name into a link.
 */
export const unlinked = (name: string): string => name.replaceAll(/(?<=\S)[.:/@\\]+(?=\S)/g, ' ');

export type Mail = MailText & {
  /**
   * Null: the mail is a decoy. A request for a mail to an address without an account must take as long as a request
   * with an account. A decoy mail takes as much work as a real mail, and the worker drops its row.
   */
  to: string | null;
  /**
   * The time for which the mail is valid, in minutes. The default is a day, which is also the maximum. For example, a
   * mail with a link that works for 30 minutes has the value 30.
   */
  minutes?: number;
};

/**
 * Adds a mail to the outbox. Call the function in the transaction of the fact that the mail reports, for example `await
 * queueMail?.(tx, { to, subject, lines: ['…'], link: { label, url } })`. The worker sends the mail after the commit,
 * retries for a day while the mail server refuses it, and then drops it. `queueMail` is null if the operator has
 * configured no mail server (SMTP_URL). Without a mail server, show the link to a person who may have it, or show the
 * fact in the dashboard. Never wait for a mail, and never include a secret that is still valid when another person may
 * read the mailbox.
 */
export type QueueMail = (tx: Queryable, mail: Mail) => Promise<void>;

const DAY_MINUTES = 24 * 60;

export const createQueueMail =
  (key: Key): QueueMail =>
  async (tx, { to, minutes = DAY_MINUTES, ...mail }) => {
    const id = newId('mail');
    await tx.insert(table).values({
      id,
      recipient: to,
      sealed: seal(key, JSON.stringify(mail satisfies MailText), sealedAt(id)),
      expiresAt: sql`now() + make_interval(mins => ${Math.min(minutes, DAY_MINUTES)})`,
    });
  };

/** The place has no organization, because a mail belongs to no organization. */
const sealedAt = (id: string) => placeOf({ table: 'mail', column: 'sealed', row: id, organization: '' });

export type ClaimedMail = {
  id: string;
  recipient: string | null;
  sealed: string;
  /** The number of attempts, including the present attempt. */
  attempts: number;
  lease: string;
  expires_at: Date;
};

export const openMail = (key: Key, { id, sealed }: ClaimedMail): MailText =>
  JSON.parse(open(key, sealed, sealedAt(id))) as MailText;

const QUEUE = leasedQueue('mail', ['id']);
export const renewMail = QUEUE.renewAll;

export const claimMail = QUEUE.claim<ClaimedMail>({
  due: QUEUE.dueFirst({ limit: '$1' }),
  set: 'attempts = q.attempts + 1',
  returning: 'q.id, q.recipient, q.sealed, q.attempts, q.lease, q.expires_at',
});

/** Null: the mail was sent or abandoned. The link of a sent or abandoned mail is deleted. */
export type MailOutcome = { claimed: Leased<'id'>; againAfterMs: number | null };

const OUTCOME = rowsOf('t', { ...QUEUE.leaseTypes, again_ms: 'float8' });

const COMPLETE = named(
  'complete-mail',
  OUTCOME.types,
  `WITH t AS MATERIALIZED (SELECT * FROM ${OUTCOME.from}), gone AS (
  DELETE FROM mail m USING t WHERE ${QUEUE.sameLease('m', 't')} AND t.again_ms IS NULL
)
UPDATE mail m SET lease = NULL, due_at = now() + t.again_ms * interval '1 millisecond'
FROM t WHERE ${QUEUE.sameLease('m', 't')} AND t.again_ms IS NOT NULL`,
);

export async function completeMail(pool: pg.Pool, outcomes: readonly MailOutcome[]): Promise<void> {
  const lease = QUEUE.leaseColumns(outcomes.map(({ claimed }) => claimed));
  await pool.query(COMPLETE({ ...lease, again_ms: outcomes.map(({ againAfterMs }) => againAfterMs) }));
}
