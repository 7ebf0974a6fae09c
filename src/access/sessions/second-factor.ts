import { randomBytes } from 'node:crypto';
import { Refusal } from '../../../contract/problems.ts';
import { retryAfter } from '../../kernel/retry-after.ts';
import { type Key, open, placeOf, seal } from '../../kernel/seal.ts';
import type { Db, Queryable } from '../../store/db.ts';
import { type Authenticator, lockAuthenticator, updateAuthenticator } from '../../store/accounts/authenticator.ts';
import { useRecoveryCode } from '../../store/accounts/recovery-codes.ts';
import { recoveryDigest } from './recovery-codes.ts';
import { TOTP_SECRET_BYTES, acceptedStep } from './totp.ts';

/**
 * Checks the codes of an account, which are codes of an authenticator app, each valid once, or recovery codes. A person
 * who guesses codes already has the password, so wrong codes count per account, from any address. After five
 * consecutive wrong codes, each further wrong code doubles the wait, up to an hour. Recovery codes are too long to
 * guess, so they also work during the wait.
 */
export type CodeKind = 'authenticator' | 'recovery_code';

const FREE_FAILURES = 5;
const MINUTE_MS = 60_000;
const MAX_WAIT_MINUTES = 64;

const place = (userId: string): string[] =>
  placeOf({ table: 'second_factor', column: 'sealed', row: userId, organization: '' });

export function newTotpSecret(sealingKey: Key, userId: string): { secret: Buffer; sealed: string } {
  const secret = randomBytes(TOTP_SECRET_BYTES);
  return { secret, sealed: seal(sealingKey, secret.toString('base64url'), place(userId)) };
}

type Deps = { db: Db; sealingKey: Key };

/** Marks the code as used. Refuses a wrong code, and a code that was already used. */
export async function spendCode(deps: Deps, userId: string, code: string, now = new Date()): Promise<CodeKind> {
  // The count of failures must be stored although the code is refused, so the transaction does not throw.
  const spent = await deps.db.transaction((tx) => spend(tx, deps.sealingKey, { userId, code, now }));
  if (spent instanceof Refusal) throw spent;
  return spent;
}

/** Uses a code of an app that is not confirmed yet. One correct code confirms the app. */
export async function spendFirstCode(tx: Queryable, sealingKey: Key, userId: string, code: string): Promise<void> {
  const app = await lockAuthenticator(tx, userId);
  if (!app || app.confirmedAt !== null) throw new Refusal('second_factor_failed', 'Start with a new QR code.');
  const now = new Date();
  const step = stepOf(sealingKey, app, code, now);
  if (step === null) throw new Refusal('second_factor_failed', 'Enter the code that your app shows now.');
  await updateAuthenticator(tx, userId, { confirmedAt: now, lastStep: step, failures: 0, waitUntil: null });
}

type Attempt = { userId: string; code: string; now: Date };

async function spend(tx: Queryable, sealingKey: Key, { userId, code, now }: Attempt): Promise<CodeKind | Refusal> {
  const digest = recoveryDigest(code);
  if (digest) return (await useRecoveryCode(tx, userId, digest)) ? 'recovery_code' : wrongCode();
  const app = await lockAuthenticator(tx, userId);
  if (!app || app.confirmedAt === null) return wrongCode();
  if (app.waitUntil !== null && app.waitUntil > now) return mustWait(app.waitUntil, now);
  const step = stepOf(sealingKey, app, code, now);
  if (step !== null) {
    await updateAuthenticator(tx, userId, { lastStep: step, failures: 0, waitUntil: null });
    return 'authenticator';
  }
  const failures = app.failures + 1;
  await updateAuthenticator(tx, userId, { failures, waitUntil: waitAfter(failures, now) });
  return wrongCode();
}

const stepOf = (sealingKey: Key, app: Authenticator, code: string, now: Date): number | null => {
  const secret = Buffer.from(open(sealingKey, app.sealed, place(app.userId)), 'base64url');
  return acceptedStep(secret, code.replaceAll(/\s/g, ''), now, app.lastStep);
};

function waitAfter(failures: number, now: Date): Date | null {
  if (failures < FREE_FAILURES) return null;
  const minutes = Math.min(2 ** (failures - FREE_FAILURES), MAX_WAIT_MINUTES);
  return new Date(now.getTime() + minutes * MINUTE_MS);
}

const wrongCode = (): Refusal => new Refusal('second_factor_failed');

function mustWait(until: Date, now: Date): Refusal {
  const seconds = Math.ceil((until.getTime() - now.getTime()) / 1_000);
  return new Refusal('rate_limited', 'Too many wrong codes. Wait, or use a recovery code.', {
    headers: retryAfter(seconds),
  });
}
