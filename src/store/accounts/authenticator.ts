import { and, count, eq, isNotNull, isNull } from 'drizzle-orm';
import { clearTokenFactors } from '../access-tokens/end-tokens.ts';
import type { Queryable } from '../db.ts';
import { passkey, secondFactor } from '../schema/second-factor.ts';
import { session } from '../schema/identity.ts';
import { replaceRecoveryCodes } from './recovery-codes.ts';
import { deletePasskeys } from './passkeys.ts';

/** Second factors of people: an authenticator app, passkeys, recovery codes (see src/access/sessions). */
export type Authenticator = typeof secondFactor.$inferSelect;
export async function readAuthenticator(db: Queryable, userId: string): Promise<Authenticator | null> {
  const rows = await db.select().from(secondFactor).where(eq(secondFactor.userId, userId));
  return rows[0] ?? null;
}

/**
 * Locks the row until the transaction ends. If one code is used twice at the same time, the second use of the code
 * fails.
 */
export async function lockAuthenticator(tx: Queryable, userId: string): Promise<Authenticator | null> {
  const rows = await tx.select().from(secondFactor).where(eq(secondFactor.userId, userId)).for('update');
  return rows[0] ?? null;
}

/** Returns false if the account already has a confirmed authenticator, which does not change. */
export async function beginAuthenticator(db: Queryable, userId: string, sealed: string): Promise<boolean> {
  const rows = await db
    .insert(secondFactor)
    .values({ userId, sealed })
    .onConflictDoUpdate({
      target: secondFactor.userId,
      set: { sealed, lastStep: 0, failures: 0, waitUntil: null, createdAt: new Date() },
      setWhere: isNull(secondFactor.confirmedAt),
    })
    .returning({ userId: secondFactor.userId });
  return rows.length > 0;
}

export async function updateAuthenticator(
  tx: Queryable,
  userId: string,
  change: Partial<Pick<Authenticator, 'confirmedAt' | 'lastStep' | 'failures' | 'waitUntil'>>,
): Promise<void> {
  await tx.update(secondFactor).set(change).where(eq(secondFactor.userId, userId));
}

export async function deleteAuthenticator(tx: Queryable, userId: string): Promise<void> {
  await tx.delete(secondFactor).where(eq(secondFactor.userId, userId));
}

/** The second factors of this account. */
export async function readFactors(
  db: Queryable,
  userId: string,
): Promise<{ authenticator: boolean; passkeys: number }> {
  const confirmed = await db
    .select({ userId: secondFactor.userId })
    .from(secondFactor)
    .where(and(eq(secondFactor.userId, userId), isNotNull(secondFactor.confirmedAt)));
  const keys = await db.select({ many: count() }).from(passkey).where(eq(passkey.userId, userId));
  return { authenticator: confirmed.length > 0, passkeys: keys[0]!.many };
}

/**
 * Records that the session has shown a second factor. This function is called in a session that was opened before the
 * person had a second factor.
 */
export async function setSessionFactor(tx: Queryable, userId: string, sessionId: string): Promise<void> {
  await tx
    .update(session)
    .set({ signInFactor: true })
    .where(and(eq(session.userId, userId), eq(session.id, sessionId)));
}

/**
 * Clears the second factor of all sessions of the person, because the person no longer has a second factor. Sessions of
 * a provider record the provider's factor and do not change.
 */
export async function clearSessionFactors(tx: Queryable, userId: string): Promise<void> {
  await tx
    .update(session)
    .set({ signInFactor: false })
    .where(and(eq(session.userId, userId), isNull(session.signInOrgId)));
  await clearTokenFactors(tx, userId);
}

/** Deletes all second factors of an account. */
export async function deleteFactors(tx: Queryable, userId: string): Promise<void> {
  await deleteAuthenticator(tx, userId);
  await deletePasskeys(tx, userId);
  await replaceRecoveryCodes(tx, userId, []);
}
