import { and, eq } from 'drizzle-orm';
import type { Queryable } from '../db.ts';
import { account, user } from '../schema/identity.ts';
import { type Person, person } from './accounts.ts';

export async function readPasswordHash(db: Queryable, userId: string): Promise<string | null> {
  const rows = await db
    .select({ password: account.password })
    .from(account)
    .where(and(eq(account.userId, userId), eq(account.providerId, 'credential')));
  return rows[0]?.password ?? null;
}

/** The person with this address and the hash of their password. Null if the person does not exist. */
export async function findCredential(db: Queryable, email: string): Promise<{ person: Person; hash: string } | null> {
  const rows = await db
    .select({ person, hash: account.password })
    .from(account)
    .innerJoin(user, eq(user.id, account.userId))
    .where(and(eq(user.email, email.toLowerCase()), eq(account.providerId, 'credential')));
  const row = rows[0];
  return row && row.hash !== null ? { person: row.person, hash: row.hash } : null;
}

/** Locks the password until the transaction ends. */
export async function lockPasswordHash(tx: Queryable, userId: string): Promise<string | null> {
  const rows = await tx
    .select({ password: account.password })
    .from(account)
    .where(and(eq(account.userId, userId), eq(account.providerId, 'credential')))
    .for('update');
  return rows[0]?.password ?? null;
}

export async function setPasswordHash(db: Queryable, userId: string, passwordHash: string): Promise<void> {
  await db
    .update(account)
    .set({ password: passwordHash, updatedAt: new Date() })
    .where(and(eq(account.userId, userId), eq(account.providerId, 'credential')));
}
