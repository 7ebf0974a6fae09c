import { and, count, eq } from 'drizzle-orm';
import type { Queryable } from '../db.ts';
import { recoveryCode } from '../schema/second-factor.ts';

export async function replaceRecoveryCodes(tx: Queryable, userId: string, digests: readonly Buffer[]): Promise<void> {
  await tx.delete(recoveryCode).where(eq(recoveryCode.userId, userId));
  if (digests.length > 0) await tx.insert(recoveryCode).values(digests.map((digest) => ({ userId, digest })));
}

/** Returns true once for each code. */
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
