import { and, count, eq, isNotNull, isNull } from 'drizzle-orm';
import { clearTokenFactors } from '../access-tokens/end-tokens.ts';
import type { Queryable } from '../db.ts';
import { passkey, secondFactor } from '../schema/second-factor.ts';
import { session } from '../schema/identity.ts';
import { replaceRecoveryCodes } from './recovery-codes.ts';
import { deletePasskeys } from './passkeys.ts';

/** Second factors of people: an authenticator app, passkeys, recovery codes; see src/access/sessions. */
export type Authenticator = typeof secondFactor.$inferSelect;
export async function readAuthenticator(db: Queryable, userId: string): Promise<Authenticator | null> {
  const rows = await db.select().from(secondFactor).where(eq(secondFactor.userId, userId));
  return rows[0] ?? null;
}

/** Locks the row until the transaction ends: of two simultaneous uses of one code, the second finds it used. */
export async function lockAuthenticator(tx: Queryable, userId: string): Promise<Authenticator | null> {
  const rows = await tx.select().from(secondFactor).where(eq(secondFactor.userId, userId)).for('update');
  return rows[0] ?? null;
}

/** False: there is a confirmed one, which stays. */
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

/** The session has shown a second factor; it was opened before there was one. */
export async function setSessionFactor(tx: Queryable, userId: string, sessionId: string): Promise<void> {
  await tx
    .update(session)
    .set({ signInFactor: true })
    .where(and(eq(session.userId, userId), eq(session.id, sessionId)));
}

/**
 * No factor is left that these sessions could have shown. Sessions of a provider record the provider's factor, and
 * stay.
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
