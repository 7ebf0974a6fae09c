import type { Queryable } from '../db.ts';
import { and, asc, eq, isNull, lt, or } from 'drizzle-orm';
import { passkey } from '../schema/second-factor.ts';

export type StoredPasskey = typeof passkey.$inferSelect;

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
 * Returns true on the first use of a challenge that is newer than the last challenge, so that a recorded answer cannot
 * be replayed.
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
