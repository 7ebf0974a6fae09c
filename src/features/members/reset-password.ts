import type { PasswordLinkLook } from '../../../contract/dashboard/sign-in.ts';
import { Refusal } from '../../../contract/problems.ts';
import type { SignInOutcome } from '../../access/sessions/sessions.ts';
import type { Browser } from '../../access/sessions/signed-in.ts';
import { type SignedLink, isSigned, readLink } from '../../access/sessions/signed-link.ts';
import { timestamp } from '../../kernel/clock.ts';
import type { Queryable } from '../../store/db.ts';
import { type Person, findPerson } from '../../store/accounts/accounts.ts';
import { lockPasswordHash, readPasswordHash } from '../../store/accounts/passwords.ts';
import { claimAccount } from './claim-account.ts';
import type { MembersDeps } from './deps.ts';

/** Reads the person whose password the holder of the link may set. */
export async function lookAtPasswordLink(deps: MembersDeps, token: string): Promise<PasswordLinkLook> {
  const { person, link } = await found(deps, token, deps.db, readPasswordHash);
  return { email: person.email, expires_at: timestamp(link.expiresAt) };
}

/**
 * Sets the password, ends every session of the person, and signs the person in. A second factor is required, as for
 * every sign-in.
 */
export async function resetPassword(
  deps: MembersDeps,
  token: string,
  password: string,
  from: Browser & { requestId: string },
): Promise<SignInOutcome> {
  // An invalid link must not make the server hash a password.
  const { person: known } = await found(deps, token, deps.db, readPasswordHash);
  const passwordHash = await deps.sessions.hashPassword(password, [known.name, known.email]);
  const { email } = await deps.db.transaction(async (tx) => {
    // The lock makes the second of two simultaneous uses fail.
    const { person, proven } = await found(deps, token, tx, lockPasswordHash);
    await claimAccount(tx, person, passwordHash, from, { proven });
    return person;
  });
  return deps.sessions.signIn(from, email, password);
}

/** `hashOf`: reads the hash that signs the link, and may lock the account. A forged link must not lock an account. */
async function found(
  { setupKey }: MembersDeps,
  token: string,
  db: Queryable,
  hashOf: typeof readPasswordHash,
): Promise<{ person: Person; link: SignedLink; proven: boolean }> {
  const link = readLink(token);
  const hash = link && (await hashOf(db, link.userId));
  if (!link || hash === null) throw new Refusal('password_link_not_found');
  const proven = isSigned(setupKey, 'mailed password', token, hash);
  const isGood = proven || isSigned(setupKey, 'password', token, hash);
  const person = isGood ? await findPerson(db, link.userId) : null;
  if (!person) throw new Refusal('password_link_not_found');
  return { person, link, proven };
}
