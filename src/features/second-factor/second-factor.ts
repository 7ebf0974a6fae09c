import { Refusal } from '../../../contract/problems.ts';
import type { Passkeys } from '../../access/sessions/passkeys.ts';
import type { Caller, Sessions, SignedIn } from '../../access/sessions/sessions.ts';
import type { SignInLimit } from '../../access/sessions/sign-in-limit.ts';
import type { Key } from '../../kernel/seal.ts';
import type { Db, Queryable } from '../../store/db.ts';
import { deleteOtherSessions, lockPasswordHash, readPasswordHash } from '../../store/accounts/people.ts';
import {
  clearSessionFactors,
  readFactors,
  replaceRecoveryCodes,
  setSessionFactor,
} from '../../store/accounts/second-factor.ts';
import { newRecoveryCodes, recoveryDigest } from '../../access/sessions/recovery-codes.ts';

/** What the verbs of this folder stand on. */
export type SecondFactorDeps = {
  db: Db;
  sessions: Pick<Sessions, 'finishSignIn' | 'readChallenge' | 'checkPassword'>;
  limit: SignInLimit;
  sealingKey: Key;
  passkeys: Passkeys;
};

/** Where a change comes from: for the limit, and for the audit log. */
export type From = Caller & { requestId: string };

/** Signing in this lately is as good as the password again, for those who have none. */
const JUST_NOW_MS = 10 * 60_000;

/**
 * Before anything changes about how somebody signs in: the password again, so that a browser left open is not enough.
 * Where the account has no password, or `orFresh` says that it is enough, a session that was opened just now. A session
 * that has not shown the factor of its account changes nothing.
 */
export async function confirmAgain(
  { db, sessions }: SecondFactorDeps,
  who: SignedIn,
  from: Caller,
  { password, orFresh = false }: { password: string | undefined; orFresh?: boolean },
): Promise<void> {
  const { authenticator, passkeys } = await readFactors(db, who.user.id);
  if ((authenticator || passkeys > 0) && !who.signInFactor) throw new Refusal('second_factor_required');
  if (password !== undefined) return void (await sessions.checkPassword(from, who, password));
  const isFresh = Date.now() - who.openedAt.getTime() <= JUST_NOW_MS;
  if (isFresh && (orFresh || (await readPasswordHash(db, who.user.id)) === null)) return;
  throw new Refusal('validation_failed', undefined, {
    errors: [{ pointer: '/password', code: 'required', detail: 'Enter your current password.' }],
  });
}

/**
 * In the transaction that gives an account a factor. With the first one, this session counts as having shown it, all
 * others end, and there are recovery codes, which are returned.
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

/** In the transaction that takes one away. With the last one go the recovery codes, and no session has shown any. */
export async function noteLastFactor(tx: Queryable, userId: string): Promise<void> {
  if (await hasFactor(tx, userId)) return;
  await replaceRecoveryCodes(tx, userId, []);
  await clearSessionFactors(tx, userId);
}

/** The lock is that of signing in by password: a session that is being opened sees the factor, or is ended with the others. */
export async function lockFactors(tx: Queryable, userId: string): Promise<boolean> {
  await lockPasswordHash(tx, userId);
  return hasFactor(tx, userId);
}

async function hasFactor(tx: Queryable, userId: string): Promise<boolean> {
  const { authenticator, passkeys } = await readFactors(tx, userId);
  return authenticator || passkeys > 0;
}
