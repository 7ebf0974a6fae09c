import { sql } from 'drizzle-orm';
import type pg from 'pg';
import { newId } from '../kernel/ids.ts';
import { type Key, open, placeOf, seal } from '../kernel/seal.ts';
import type { Queryable } from './db.ts';
import { NOW } from './schema/columns.ts';
import { mail as table } from './schema/mail.ts';

/** The content of a mail. Plain text only: the worker creates the HTML. */
export type MailText = {
  subject: string;
  /** Paragraphs before the link. */
  lines: readonly string[];
  link?: { label: string; url: string };
  /** Lists under a heading, each with a link of its own. */
  parts?: readonly MailPart[];
  /** Paragraphs after it. */
  after?: readonly string[];
  /** Absent: English. */
  language?: 'en' | 'ar';
  /**
   * A mail that comes again and again says how to stop it: `link` opens a page that asks, `post` is for mail programs
   * (RFC 8058) and stops it at once.
   */
  unsubscribe?: { label: string; link: string; post: string };
};

export type MailPart = { title: string; lines: readonly string[]; link?: { label: string; url: string } };

/** Any user may choose a name, so mail programs must not turn one into a link. For subjects and lines. */
export const unlinked = (name: string): string => name.replaceAll(/(?<=\S)[.:/@\\]+(?=\S)/g, ' ');

export type Mail = MailText & {
  /**
   * Null: a decoy. A request for a mail to an address without an account must take as long as one to an address with an
   * account, so the same work is done, and the worker drops the row.
   */
  to: string | null;
  /** How long the mail is valid, by default and at most a day. For a link that works for 30 minutes: 30. */
  minutes?: number;
};

/**
 * Puts a mail into the outbox. Call it in the transaction of the fact that the mail reports: `await queueMail?.(tx, {
 * to, subject, lines: ['…'], link: { label, url } })`. The worker sends it after the commit, retries for a day while
 * the mail server refuses it, and then drops it. `queueMail` is null if the operator has set no mail server (SMTP_URL):
 * then show the link to a person who may have it, or show the fact in the dashboard. Never wait for a mail, and never
 * put a secret into it that is valid for longer than the mail may stay in a mailbox.
 */
export type QueueMail = (tx: Queryable, mail: Mail) => Promise<void>;

const DAY_MINUTES = 24 * 60;
/** After this time other workers take over the mails of a dead worker; a live worker renews every third of it. */
export const MAIL_LEASE_SECONDS = 30;

export const createQueueMail =
  (key: Key): QueueMail =>
  async (tx, { to, minutes = DAY_MINUTES, ...said }) => {
    const id = newId('mail');
    await tx.insert(table).values({
      id,
      recipient: to,
      sealed: seal(key, JSON.stringify(said satisfies MailText), sealedAt(id)),
      expiresAt: sql`now() + make_interval(mins => ${Math.min(minutes, DAY_MINUTES)})`,
    });
  };

/** A mail belongs to no organization. */
const sealedAt = (id: string) => placeOf({ table: 'mail', column: 'sealed', row: id, organization: '' });

export type ClaimedMail = {
  id: string;
  recipient: string | null;
  sealed: string;
  /** Including this attempt. */
  attempts: number;
  lease: string;
  expires_at: Date;
};

export const openMail = (key: Key, { id, sealed }: ClaimedMail): MailText =>
  JSON.parse(open(key, sealed, sealedAt(id))) as MailText;

export async function claimMail(pool: pg.Pool, lease: string, limit: number): Promise<ClaimedMail[]> {
  const { rows } = await pool.query<ClaimedMail>({
    name: 'claim-mail',
    text: `UPDATE mail SET due_at = now() + make_interval(secs => ${MAIL_LEASE_SECONDS}), lease = $2,
      attempts = attempts + 1
      WHERE id IN (SELECT id FROM mail WHERE due_at <= ${NOW} ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED)
      RETURNING id, recipient, sealed, attempts, lease, expires_at`,
    values: [limit, lease],
  });
  return rows;
}

type Held = Pick<ClaimedMail, 'id' | 'lease'>;

const heldColumns = (held: readonly Held[]) => [held.map(({ id }) => id), held.map(({ lease }) => lease)];

/** Renews the leases of a live worker. */
export async function renewMail(pool: pg.Pool, held: readonly Held[]): Promise<void> {
  await pool.query({
    name: 'renew-mail',
    text: `UPDATE mail m SET due_at = now() + make_interval(secs => ${MAIL_LEASE_SECONDS})
      FROM unnest($1::text[], $2::text[]) AS t(id, lease) WHERE m.id = t.id AND m.lease = t.lease`,
    values: heldColumns(held),
  });
}

/** Null: sent or given up; in both cases the link is deleted. */
export type MailOutcome = { held: Held; againAfterMs: number | null };

const COMPLETE = `
WITH t AS (SELECT * FROM unnest($1::text[], $2::text[], $3::float8[]) AS t(id, lease, again_ms)), gone AS (
  DELETE FROM mail m USING t WHERE m.id = t.id AND m.lease = t.lease AND t.again_ms IS NULL
)
UPDATE mail m SET lease = NULL, due_at = now() + t.again_ms * interval '1 millisecond'
FROM t WHERE m.id = t.id AND m.lease = t.lease AND t.again_ms IS NOT NULL`;

export async function completeMail(pool: pg.Pool, outcomes: readonly MailOutcome[]): Promise<void> {
  await pool.query({
    name: 'complete-mail',
    text: COMPLETE,
    values: [...heldColumns(outcomes.map(({ held }) => held)), outcomes.map(({ againAfterMs }) => againAfterMs)],
  });
}
