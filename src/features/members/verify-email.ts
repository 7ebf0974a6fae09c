import { Refusal } from '../../../contract/problems.ts';
import type { SignedIn } from '../../access/sessions/signed-in.ts';
import {
  EMAIL_LINK_HOURS,
  emailLinkUrl,
  isSigned,
  linkEnd,
  readLink,
  signLink,
} from '../../access/sessions/signed-link.ts';
import { markVerified } from '../../store/accounts/accounts.ts';
import type { MembersDeps } from './deps.ts';

/** Mails a link to the address of the person's own account. */
export async function sendEmailLink(deps: MembersDeps, { user }: SignedIn): Promise<void> {
  const { db, queueMail, mailLimit, setupKey, baseUrl } = deps;
  if (!queueMail) throw new Refusal('mail_missing');
  if (user.emailVerified) return;
  await mailLimit.take(user.id, user.email);
  const link = { userId: user.id, expiresAt: linkEnd(EMAIL_LINK_HOURS * 60) };
  await queueMail(db, {
    to: user.email,
    subject: 'Verify your e-mail address',
    lines: ['Please verify that this is the e-mail address of your Parley account.'],
    link: { label: 'Verify the address', url: emailLinkUrl(baseUrl, signLink(setupKey, 'email', link, user.email)) },
    after: [
      `The link works within ${EMAIL_LINK_HOURS} hours, in a browser where you are signed in.`,
      'If you did not request this, ignore this e-mail. If you want an account with this address, request a new password.',
    ],
  });
}

/**
 * The link is valid only in a session of its account. If the owner of the mailbox opens the link, it must not prove the
 * address for another person who created an account with this address.
 */
export async function verifyEmail(
  { db, setupKey }: Pick<MembersDeps, 'db' | 'setupKey'>,
  signedIn: SignedIn,
  token: string,
): Promise<SignedIn> {
  const { user } = signedIn;
  const isOwn = readLink(token)?.userId === user.id && isSigned(setupKey, 'email', token, user.email);
  if (!isOwn) throw new Refusal('email_link_not_found');
  await markVerified(db, user.id);
  return { ...signedIn, user: { ...user, emailVerified: true } };
}
