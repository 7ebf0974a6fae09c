import type { PasskeyAssertion } from '../../../contract/dashboard/second-factor.ts';
import { Refusal } from '../../../contract/problems.ts';
import { spendCode } from '../../access/sessions/second-factor.ts';
import type { SignInOutcome } from '../../access/sessions/sessions.ts';
import { recordAuditOfPerson } from '../../store/organizations/audit.ts';
import { findPerson } from '../../store/accounts/accounts.ts';
import { findPasskey, usePasskey } from '../../store/accounts/passkeys.ts';
import type { From, SecondFactorDeps } from './second-factor.ts';

/** Finishes a sign-in with the challenge from its first half and a code. */
export async function signInWithCode(
  deps: SecondFactorDeps,
  { challenge, code }: { challenge: string; code: string },
  from: From,
): Promise<SignInOutcome> {
  const { db, sessions, signInLimit } = deps;
  const begun = await sessions.readChallenge(challenge);
  if (!begun) throw new Refusal('second_factor_expired');
  const { person, proof } = begun;
  const subject = `code of ${person.id}`;
  await signInLimit.attempt(from.address, subject);
  const kind = await spendCode(deps, person.id, code);
  await signInLimit.succeeded(from.address, subject);
  // The use of a recovery code gets an audit entry, because another person may have found the codes.
  if (kind === 'recovery_code')
    await recordAuditOfPerson(db, { userId: person.id, ...from }, 'second_factor.recovery_code_used');
  return sessions.finishSignIn(from, person, { ...proof, factor: true });
}

/**
 * The browser asks the person for a passkey, and the passkey identifies the account. The options of the sign-in reveal
 * nothing about any account. Options for passkeys need little work, so the limit does not count them. If option
 * requests counted, anyone could use up the limit that sign-ins need.
 */
export const startPasskeySignIn = async ({ passkeys }: Pick<SecondFactorDeps, 'passkeys'>) => ({
  ...(await passkeys.signInOptions()),
});

/** A passkey proves two factors, the device and a fingerprint, face or PIN. */
export async function signInWithPasskey(
  { db, sessions, signInLimit, passkeys }: SecondFactorDeps,
  sent: PasskeyAssertion,
  from: From,
): Promise<SignInOutcome> {
  const subject = `passkey ${sent.id}`;
  await signInLimit.attempt(from.address, subject);
  const known = await findPasskey(db, sent.id);
  const person = known && (await findPerson(db, known.userId));
  if (!known || !person) throw new Refusal('passkey_refused');
  const used = await passkeys.checkAssertion(known, sent);
  if (!(await usePasskey(db, known.id, used))) throw new Refusal('passkey_refused');
  await signInLimit.succeeded(from.address, subject);
  return sessions.finishSignIn(from, person, { factor: true });
}
