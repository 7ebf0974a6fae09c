import { and, eq, inArray } from 'drizzle-orm';
import type { Queryable } from '../db.ts';
import { endUser } from '../schema/end-user.ts';

/**
 * Locks a person before the conversation of the person is locked, so that the transaction may change both. Returns false
 * if the person was erased.
 */
export async function holdEndUser(tx: Queryable, orgId: string, id: string): Promise<boolean> {
  const rows = await tx
    .select({ id: endUser.id })
    .from(endUser)
    .where(and(eq(endUser.orgId, orgId), eq(endUser.id, id)))
    .for('no key update');
  return rows.length > 0;
}

/** Returns the IDs of the people who exist. No listed person can be erased before the transaction ends. */
export async function lockEndUsers(tx: Queryable, orgId: string, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await tx
    .select({ id: endUser.id })
    .from(endUser)
    .where(and(eq(endUser.orgId, orgId), inArray(endUser.id, [...new Set(ids)])))
    .orderBy(endUser.id)
    .for('key share');
  return new Set(rows.map(({ id }) => id));
}
