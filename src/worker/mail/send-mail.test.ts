import { sql } from 'drizzle-orm';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { type FakeSmtp, startSmtp } from '../../../test/fakes/smtp.ts';
import { useDatabase } from '../../../test/use-database.ts';
import type { MailServer } from '../../config/mail.ts';
import { createLogger } from '../../kernel/log.ts';
import { deriveKey } from '../../kernel/seal.ts';
import type { Db } from '../../store/db.ts';
import { LEASE_SECONDS } from '../../store/queue/lease-seconds.ts';
import { createQueueMail, type Mail } from '../../store/mail.ts';
import type { Worker } from '../claim-loop.ts';
import { createMailWorker } from './send-mail.ts';

const KEY = deriveKey('a secret', 'mail');
const LINK = 'http://127.0.0.1:4000/invitations/abcdefghijklmnopqrstuvwxyz';
const queueMail = createQueueMail(KEY);
const mail = (more: Partial<Mail> = {}): Mail => ({
  to: 'asha@example.qa',
  subject: 'You are invited',
  lines: ['“Acme <b>& Co</b>” invites you.'],
  link: { label: 'Accept', url: LINK },
  ...more,
});

let db: Db;
let smtp: FakeSmtp;
let worker: Worker;
let lines: string[];
const start = (more: Partial<MailServer> = {}, key = KEY): void => {
  const log = createLogger({ level: 'info', pretty: false, destination: { write: (line) => void lines.push(line) } });
  const from = { name: 'Parley', address: 'noreply@example.com' };
  const { port, user: username, password } = smtp;
  const server: MailServer = { host: '127.0.0.1', port, security: 'none', username, password, from, ...more };
  worker = createMailWorker({ db, log, key, server });
  worker.start();
};
const rows = async () =>
  (await db.execute<{ attempts: number; sealed: string }>(sql`SELECT attempts, sealed FROM mail`)).rows;
const isEmpty = () => expect.poll(async () => (await rows()).length, { timeout: 10_000 }).toBe(0);
const isTriedAgain = () =>
  expect.poll(() => lines.some((line) => line.includes('it is tried again')), { timeout: 10_000 }).toBe(true);
/** Makes it due as soon as the worker has released it. */
const hurry = () =>
  expect.poll(async () => (await db.execute(sql`UPDATE mail SET due_at = now() WHERE lease IS NULL`)).rowCount).toBe(1);

useDatabase((own) => {
  db = own;
});
beforeAll(async () => {});
beforeEach(async () => {
  lines = [];
  smtp = await startSmtp();
});
afterEach(async () => {
  await worker.stop(1_000);
  await smtp.stop();
  await db.execute(sql`DELETE FROM mail`);
});

it('the worker sends a committed mail once, as text and as HTML without scripts, and stores no link', async () => {
  await db.transaction((tx) => queueMail(tx, mail()));
  await db
    .transaction((tx) => queueMail(tx, mail({ to: 'never@example.qa' })).then(() => tx.rollback()))
    .catch(() => {});
  expect(JSON.stringify(await rows())).not.toContain('invitations');
  start();
  await isEmpty();
  expect(smtp.mails.map(({ from, to }) => [from, to])).toEqual([['noreply@example.com', 'asha@example.qa']]);
  const { raw } = smtp.mails[0]!;
  expect(raw).toContain('Subject: You are invited');
  expect(raw).toContain('From: Parley <noreply@example.com>');
  expect(raw).toContain('Auto-Submitted: auto-generated');
  expect(raw.replaceAll('=\r\n', '')).toContain(LINK);
  const [, html] = raw.split('text/html');
  expect(html).toContain('&lt;b&gt;&amp; Co');
  expect(html).not.toContain('<b>');
});

it('a mail for an unknown address is queued as a decoy and never sent', async () => {
  await queueMail(db, mail({ to: null }));
  start();
  await isEmpty();
  expect([smtp.attempts(), lines]).toEqual([0, []]);
});

it('a mail is retried while the server is busy, hangs up or refuses the password', async () => {
  await queueMail(db, mail());
  smtp.withdraw();
  start();
  await isTriedAgain();
  smtp.withdraw(false);
  smtp.fail({ at: 'data', code: 451 }, 'reset_before_data');
  for (let failures = 0; failures < 2; failures++) {
    lines.length = 0;
    await hurry();
    await isTriedAgain();
  }
  await hurry();
  await isEmpty();
  expect(smtp.mails).toHaveLength(1);
  expect(lines.join()).not.toContain('asha');
});

it('the worker gives up on a mail if the mailbox does not exist, or if the mail has expired', async () => {
  smtp.fail({ at: 'recipient', code: 550 });
  await queueMail(db, mail());
  await queueMail(db, mail({ to: 'late@example.qa', minutes: 0 }));
  start();
  await isEmpty();
  expect(smtp.mails).toEqual([]);
  expect(lines.filter((line) => line.includes('a mail was given up'))).toHaveLength(2);
  expect(lines.join()).not.toMatch(/asha|late@/);
});

it('a mail that cannot be decrypted is dropped, and the worker continues', async () => {
  await queueMail(db, mail());
  start({}, deriveKey('another secret', 'mail'));
  await isEmpty();
  expect(lines.join()).toContain('sealed under another PARLEY_SECRET');
});

it('a mail is never sent without the configured encryption', async () => {
  await queueMail(db, mail());
  start({ security: 'starttls' });
  await isTriedAgain();
  expect([smtp.attempts(), smtp.mails]).toEqual([0, []]);
});

it('a worker that was suspended during its claim does not send a mail that another worker has claimed', async () => {
  await queueMail(db, mail());
  const clock = performance.now.bind(performance);
  let suspendedMs = 0;
  const now = vi.spyOn(performance, 'now').mockImplementation(() => clock() + suspendedMs);
  const query = db.$client.query.bind(db.$client) as (...args: unknown[]) => Promise<{ rows: unknown[] }>;
  const done: string[] = [];
  const recorded = async (...args: unknown[]): Promise<unknown> => {
    const result = await query(...args);
    const { name } = args[0] as { name?: string };
    if (name === 'complete-mail') done.push(name);
    if (name === 'claim-mail' && result.rows.length > 0 && suspendedMs === 0) {
      suspendedMs = LEASE_SECONDS.mail * 1_000;
      await query(`UPDATE mail SET lease = 'another', due_at = now() + interval '1 minute'`);
    }
    return result;
  };
  const queries = vi.spyOn(db.$client, 'query').mockImplementation((...args: unknown[]) => recorded(...args) as never);
  start();
  await expect.poll(() => done, { timeout: 10_000 }).toEqual(['complete-mail']);
  expect(smtp.attempts()).toBe(0);
  expect((await rows()).length).toBe(1);
  queries.mockRestore();
  now.mockRestore();
});
