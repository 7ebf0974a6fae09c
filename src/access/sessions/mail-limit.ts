import { createHash } from 'node:crypto';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { Refusal } from '../../../contract/problems.ts';
import { retryAfter } from '../../kernel/retry-after.ts';
import { countedPlace } from '../api-keys/networks.ts';
import { takeFromAll } from '../limits/take-from-all.ts';

/**
 * The limit protects mailboxes from mail that strangers cause, and prevents that this server sends spam. Each recipient
 * has an hourly limit. Each person and each network address that requests mail also has an hourly limit. A request is
 * counted before the recipient's account is looked up. Each node counts separately.
 */
export type MailLimit = {
  /** The method throws `rate_limited`. `sender` requests the mail: the ID of a person, or a network address. */
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
          [senders, countedPlace(sender)],
          [recipients, digest(recipient)],
        ])
      )
        return;
      throw new Refusal('rate_limited', 'Too many e-mails in an hour. Wait, and check your mailbox and spam folder.', {
        headers: retryAfter(HOUR_SECONDS),
      });
    },
  };
}

/** The limiter's memory contains no addresses. */
const digest = (recipient: string): string => createHash('sha256').update(recipient.toLowerCase()).digest('base64url');
