import { Refusal } from '../../../contract/problems.ts';
import { PASSWORD_LINK_MINUTES, linkEnd, passwordLinkUrl, signLink } from '../../access/sessions/signed-link.ts';
import { newId } from '../../kernel/ids.ts';
import { findCredential } from '../../store/accounts/passwords.ts';
import type { MembersDeps } from './deps.ts';

/**
 * Mails a link for setting another password. A request for an address without an account takes equally long, so the
 * response does not reveal whether an account exists.
 */
export async function forgotPassword(deps: MembersDeps, email: string, address: string): Promise<void> {
  const { db, queueMail, mailLimit, setupKey, baseUrl } = deps;
  if (!queueMail) throw new Refusal('mail_missing');
  await mailLimit.take(address, email);
  await db.transaction(async (tx) => {
    const found = await findCredential(tx, email);
    const link = { userId: found?.person.id ?? newId('user'), expiresAt: linkEnd(PASSWORD_LINK_MINUTES) };
    const token = signLink(setupKey, 'mailed password', link, found?.hash ?? '');
    await queueMail(tx, {
      to: found?.person.email ?? null,
      minutes: PASSWORD_LINK_MINUTES,
      subject: 'Your new password',
      lines: ['A new password was requested for your Parley account.'],
      link: { label: 'Choose a new password', url: passwordLinkUrl(baseUrl, token) },
      after: [
        `The link works once, within ${PASSWORD_LINK_MINUTES} minutes. A new password ends all your other sessions.`,
        'If you did not request this, ignore this e-mail. Your password does not change.',
      ],
    });
  });
}
