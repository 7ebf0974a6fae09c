import type { Logger } from 'pino';
import { type ChannelAccount, ChannelFailure } from '../../channels/channel.ts';
import type { MailServer } from '../../config/mail.ts';
import { createEgress, type Egress } from '../../kernel/egress.ts';
import { newId } from '../../kernel/ids.ts';
import { type Key, SealError } from '../../kernel/seal.ts';
import type { Db } from '../../store/db.ts';
import {
  type ClaimedMail,
  claimMail,
  completeMail,
  type MailOutcome,
  type MailText,
  openMail,
  renewMail,
} from '../../store/mail.ts';
import { LEASE_SECONDS } from '../../store/queue/lease-seconds.ts';
import { type ClaimLoop, createClaimLoop, hasLeaseForCall, type Worker } from '../claim-loop.ts';
import { renderMail } from './render-mail.ts';

/**
 * The outbox worker claims due mails, sends them through the operator's mail server, and deletes them. A mail is sent
 * at least once: if a worker dies between sending and deleting, another worker sends the mail again. A link works once,
 * however often its mail arrives. No log line contains a recipient or the server's reply, which often contains the
 * recipient.
 */
/** The first mail loads the library. */
const smtp = () => import('../../channels/email/smtp.ts');
const POLL_MS = 1_000;
/** The worker sends at most this many mails concurrently, each over a separate connection. */
const CAPACITY = 10;
/** The delays before the second and each later attempt. The last delay repeats until the mail expires. */
const RETRY_SECONDS = [5, 30, 60, 5 * 60, 15 * 60, 60 * 60];

export function createMailWorker(deps: { db: Db; log: Logger; key: Key; server: MailServer }): Worker {
  const { db, log, key, server } = deps;
  const pool = db.$client;
  const egress = egressTo(server);
  const account = accountOf(server);

  const loop: ClaimLoop<ClaimedMail, MailOutcome, void> = createClaimLoop({
    rows: 'mails',
    log,
    pollMs: POLL_MS,
    capacity: CAPACITY,
    batch: CAPACITY,
    leaseSeconds: LEASE_SECONDS.mail,
    claim: async (limit) => {
      const claimed = await claimMail(pool, limit, newId('node'));
      return { claimed, isMoreDue: claimed.length === limit };
    },
    renew: async (claimed) => void (await renewMail(pool, claimed)),
    work: async (work) => {
      const { row: mail, abort } = work;
      if (!hasLeaseForCall(work, LEASE_SECONDS.mail)) return loop.store({ claimed: mail, againAfterMs: 0 });
      const againAfterMs = mail.recipient === null ? null : await attempt(mail, mail.recipient, abort.signal);
      await loop.storeWithRetries({ claimed: mail, againAfterMs });
    },
    complete: async (outcomes) => {
      await completeMail(pool, outcomes);
      return outcomes.map(() => undefined);
    },
    storesAtOnce: 1,
    ids: ({ id }) => ({ mail_id: id }),
    onBegin: () => {},
    onEnd: (_mail, wasFull) => wasFull,
  });

  /** Makes one attempt to send a mail. Null: the mail is finished, whether it was sent or not. */
  async function attempt(mail: ClaimedMail, to: string, signal: AbortSignal): Promise<number | null> {
    const facts = { mail_id: mail.id, attempts: mail.attempts };
    if (mail.expires_at <= new Date()) {
      log.warn(facts, 'a mail was given up: the mail server did not take it in time');
      return null;
    }
    try {
      const content = openMail(key, mail);
      const tools = { egress, signal, now: Date.now, inboundUrl: '' };
      await (
        await smtp()
      ).sendOverSmtp(account, tools, {
        ...renderMail(content),
        from: server.from,
        to,
        subject: content.subject,
        messageId: `<${mail.id}@${server.from.address.split('@')[1]}>`,
        headers: headersOf(content),
      });
      return null;
    } catch (error) {
      if (signal.aborted) return 0;
      if (error instanceof SealError) {
        log.warn(facts, 'a mail was dropped: it was sealed under another PARLEY_SECRET');
        return null;
      }
      const { code, message } = error instanceof ChannelFailure ? error : UNKNOWN;
      const details = { ...facts, code, detail: message };
      // A fault of the server or of SMTP_URL may be fixed later, but a mailbox that does not exist is a permanent
      // failure.
      if (code === 'recipient_unreachable') {
        log.warn(details, 'a mail was given up: the mail server refuses its recipient');
        return null;
      }
      log.warn(details, 'a mail could not be sent; it is tried again');
      return RETRY_SECONDS[Math.min(mail.attempts, RETRY_SECONDS.length) - 1]! * 1_000;
    }
  }

  return {
    ...loop,
    stop: async (graceMs) => {
      await loop.stop(graceMs);
      await egress.close();
    },
  };
}

const headersOf = ({ unsubscribe }: MailText) => ({
  'Auto-Submitted': 'auto-generated',
  ...(unsubscribe && {
    'List-Unsubscribe': `<${unsubscribe.post}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  }),
});

const UNKNOWN = { code: 'internal_error', message: 'The attempt failed inside Parley.' };

/** The operator chose the mail server, so it may be private, on any port, and without encryption. */
function egressTo({ host, port }: MailServer): Egress {
  return createEgress({ allow: [`${host.includes(':') ? `[${host}]` : host}:${port}`] });
}

/**
 * Connects to the mail server and signs in, but sends nothing. Null if the server accepted the sign-in, otherwise a
 * sentence about the failure.
 */
export async function tryMailServer(server: MailServer): Promise<string | null> {
  const egress = egressTo(server);
  try {
    const { trySmtp } = await smtp();
    await trySmtp(accountOf(server), { egress, signal: new AbortController().signal, now: Date.now, inboundUrl: '' });
    return null;
  } catch (error) {
    return error instanceof ChannelFailure ? error.message : UNKNOWN.message;
  } finally {
    await egress.close();
  }
}

const accountOf = ({ host, port, security, username, password, from }: MailServer): ChannelAccount => ({
  id: 'mail',
  settings: { host, port, security, username, from: from.address },
  secrets: { password },
});
