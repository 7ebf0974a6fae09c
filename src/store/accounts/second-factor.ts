import { and, asc, count, eq, isNotNull, lt, or, isNull } from 'drizzle-orm';
import type { Queryable } from '../db.ts';
import { passkey, recoveryCode, secondFactor } from '../schema/second-factor.ts';
import { session } from '../schema/identity.ts';

/** Second factors of people: an authenticator app, passkeys, recovery codes; see src/access/sessions. */
export type Authenticator = typeof secondFactor.$inferSelect;
export type StoredPasskey = typeof passkey.$inferSelect;

export async function readAuthenticator(db: Queryable, userId: string): Promise<Authenticator | null> {
  const rows = await db.select().from(secondFactor).where(eq(secondFactor.userId, userId));
  return rows[0] ?? null;
}

/** Locks it until the transaction ends: of two who send the same code the second finds it used. */
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

/** What this account can show besides a password. */
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

export async function replaceRecoveryCodes(tx: Queryable, userId: string, digests: readonly Buffer[]): Promise<void> {
  await tx.delete(recoveryCode).where(eq(recoveryCode.userId, userId));
  if (digests.length > 0) await tx.insert(recoveryCode).values(digests.map((digest) => ({ userId, digest })));
}

/** True once for each code. */
export async function useRecoveryCode(tx: Queryable, userId: string, digest: Buffer): Promise<boolean> {
  const gone = await tx
    .delete(recoveryCode)
    .where(and(eq(recoveryCode.userId, userId), eq(recoveryCode.digest, digest)))
    .returning({ userId: recoveryCode.userId });
  return gone.length > 0;
}

export async function countRecoveryCodes(db: Queryable, userId: string): Promise<number> {
  const rows = await db.select({ many: count() }).from(recoveryCode).where(eq(recoveryCode.userId, userId));
  return rows[0]!.many;
}

/** The session has shown a second factor; it was made before there was one. */
export async function setSessionFactor(tx: Queryable, userId: string, sessionId: string): Promise<void> {
  await tx
    .update(session)
    .set({ signInFactor: true })
    .where(and(eq(session.userId, userId), eq(session.id, sessionId)));
}

/** Nothing is left that these sessions could have shown. Those of a provider tell of its factor, and stay. */
export async function clearSessionFactors(tx: Queryable, userId: string): Promise<void> {
  await tx
    .update(session)
    .set({ signInFactor: false })
    .where(and(eq(session.userId, userId), isNull(session.signInOrgId)));
}

export async function listPasskeys(db: Queryable, userId: string): Promise<StoredPasskey[]> {
  return db.select().from(passkey).where(eq(passkey.userId, userId)).orderBy(asc(passkey.createdAt), asc(passkey.id));
}

export async function findPasskey(db: Queryable, credentialId: string): Promise<StoredPasskey | null> {
  const rows = await db.select().from(passkey).where(eq(passkey.credentialId, credentialId));
  return rows[0] ?? null;
}

export async function insertPasskey(
  tx: Queryable,
  row: Pick<StoredPasskey, 'id' | 'userId' | 'credentialId' | 'publicKey' | 'counter' | 'transports' | 'name'>,
): Promise<StoredPasskey> {
  const rows = await tx.insert(passkey).values(row).returning();
  return rows[0]!;
}

/**
 * True when this was its first use of a challenge that is newer than the last one: what was recorded on the wire cannot
 * be played again.
 */
export async function usePasskey(
  db: Queryable,
  id: string,
  { challengedAt, counter }: { challengedAt: Date; counter: number },
): Promise<boolean> {
  const rows = await db
    .update(passkey)
    .set({ challengedAt, counter, lastUsedAt: new Date() })
    .where(and(eq(passkey.id, id), or(isNull(passkey.challengedAt), lt(passkey.challengedAt, challengedAt))))
    .returning({ id: passkey.id });
  return rows.length > 0;
}

export async function renamePasskey(
  db: Queryable,
  userId: string,
  id: string,
  name: string,
): Promise<StoredPasskey | null> {
  const rows = await db
    .update(passkey)
    .set({ name })
    .where(and(eq(passkey.userId, userId), eq(passkey.id, id)))
    .returning();
  return rows[0] ?? null;
}

export async function deletePasskey(tx: Queryable, userId: string, id: string): Promise<StoredPasskey | null> {
  const rows = await tx
    .delete(passkey)
    .where(and(eq(passkey.userId, userId), eq(passkey.id, id)))
    .returning();
  return rows[0] ?? null;
}

export async function deletePasskeys(tx: Queryable, userId: string): Promise<void> {
  await tx.delete(passkey).where(eq(passkey.userId, userId));
}

/** All that an account can show besides its password. */
export async function deleteFactors(tx: Queryable, userId: string): Promise<void> {
  await deleteAuthenticator(tx, userId);
  await deletePasskeys(tx, userId);
  await replaceRecoveryCodes(tx, userId, []);
}
