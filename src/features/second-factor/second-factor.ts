import { invalidAt, Refusal } from '../../../contract/problems.ts';
import type { Passkeys } from '../../access/sessions/passkeys.ts';
import type { Sessions } from '../../access/sessions/sessions.ts';
import type { Browser, SignedIn } from '../../access/sessions/signed-in.ts';
import type { SignInLimit } from '../../access/sessions/sign-in-limit.ts';
import type { Key } from '../../kernel/seal.ts';
import type { Db, Queryable } from '../../store/db.ts';
import { lockPasswordHash, readPasswordHash } from '../../store/accounts/passwords.ts';
import { deleteOtherSessions } from '../../store/accounts/sessions.ts';
import { clearSessionFactors, readFactors, setSessionFactor } from '../../store/accounts/authenticator.ts';
import { replaceRecoveryCodes } from '../../store/accounts/recovery-codes.ts';
import { newRecoveryCodes, recoveryDigest } from '../../access/sessions/recovery-codes.ts';

/** The dependencies of the verbs in this folder. */
export type SecondFactorDeps = {
  db: Db;
  sessions: Pick<Sessions, 'finishSignIn' | 'readChallenge' | 'checkPassword'>;
  signInLimit: SignInLimit;
  sealingKey: Key;
  passkeys: Passkeys;
};

/** The source of a change, for the rate limit and for the audit log. */
export type From = Browser & { requestId: string };

/** For accounts without a password, a recent sign-in replaces the password. */
const JUST_NOW_MS = 10 * 60_000;

/**
 * Before any change of the ways to sign in, the password is required again, so that an open browser is not enough. If
 * the account has no password, or if `orFresh` allows it, a recently opened session is enough. A session in which the
 * account's factor was not shown can change nothing.
 */
export async function confirmAgain(
  { db, sessions }: SecondFactorDeps,
  who: SignedIn,
  from: Browser,
  { password, orFresh = false }: { password: string | undefined; orFresh?: boolean },
): Promise<void> {
  const { authenticator, passkeys } = await readFactors(db, who.user.id);
  if ((authenticator || passkeys > 0) && !who.signInFactor) throw new Refusal('second_factor_required');
  if (password !== undefined) return void (await sessions.checkPassword(from, who, password));
  const isFresh = Date.now() - who.openedAt.getTime() <= JUST_NOW_MS;
  if (isFresh && (orFresh || (await readPasswordHash(db, who.user.id)) === null)) return;
  throw invalidAt('/password', 'required', 'Enter your current password.');
}

/**
 * Call this function in the transaction that adds a factor to an account. If the factor is the first factor of the
 * account, this session counts as having shown it, and all other sessions end. For the first factor, the function also
 * creates and returns recovery codes.
 */
export async function noteFirstFactor(tx: Queryable, who: SignedIn, hadFactor: boolean): Promise<string[] | null> {
  await setSessionFactor(tx, who.user.id, who.sessionId);
  if (hadFactor) return null;
  await deleteOtherSessions(tx, who.user.id, who.sessionId);
  return giveRecoveryCodes(tx, who.user.id);
}

export async function giveRecoveryCodes(tx: Queryable, userId: string): Promise<string[]> {
  const codes = newRecoveryCodes();
  const digests = codes.map((code) => recoveryDigest(code)!);
  await replaceRecoveryCodes(tx, userId, digests);
  return codes;
}

/**
 * Call this function in the transaction that removes a factor. With the last factor, the recovery codes are deleted,
 * and no session counts as having shown a factor.
 */
export async function noteLastFactor(tx: Queryable, userId: string): Promise<void> {
  if (await hasFactor(tx, userId)) return;
  await replaceRecoveryCodes(tx, userId, []);
  await clearSessionFactors(tx, userId);
}

/**
 * A sign-in by password uses the lock of the second factor too. A sign-in in progress either requires the factor, or
 * its session is ended with all other sessions.
 */
export async function lockFactors(tx: Queryable, userId: string): Promise<boolean> {
  await lockPasswordHash(tx, userId);
  return hasFactor(tx, userId);
}

async function hasFactor(tx: Queryable, userId: string): Promise<boolean> {
  const { authenticator, passkeys } = await readFactors(tx, userId);
  return authenticator || passkeys > 0;
}
