import { createHash } from 'node:crypto';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { Refusal } from '../../../contract/problems.ts';
import { takeFromAll } from '../limits/take-from-all.ts';

/**
 * Mail that strangers can cause must not flood a mailbox, nor make this server a sender of spam: so many an hour to one
 * recipient, and so many asked for by one person or network address. Counted before anybody looks whether the recipient
 * has an account. Each node counts for itself.
 */
export type MailLimit = {
  /** Throws `rate_limited`. `sender` is who asks: a person's id, or a network address. */
  take(sender: string, recipient: string): Promise<void>;
};

const HOUR_SECONDS = 3_600;
const MAILS = { recipient: 5, sender: 60 };

export function createMailLimit(mails: typeof MAILS = MAILS): MailLimit {
  const senders = new RateLimiterMemory({ points: mails.sender, duration: HOUR_SECONDS });
  const recipients = new RateLimiterMemory({ points: mails.recipient, duration: HOUR_SECONDS });
  return {
    async take(sender, recipient) {
      if (
        await takeFromAll([
          [senders, sender],
          [recipients, digest(recipient)],
        ])
      )
        return;
      throw new Refusal('rate_limited', 'Too many e-mails in an hour. Wait, and look into the mailbox, spam too.', {
        headers: { 'Retry-After': String(HOUR_SECONDS) },
      });
    },
  };
}

/** The memory of the limiter holds no addresses. */
const digest = (recipient: string): string => createHash('sha256').update(recipient.toLowerCase()).digest('base64url');
