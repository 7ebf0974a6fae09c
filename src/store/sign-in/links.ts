import { and, eq } from 'drizzle-orm';
import type { Queryable } from '../db.ts';
import { formerMember, signInLink } from '../schema/sign-in.ts';

export async function findLinkedUser(db: Queryable, orgId: string, subject: string): Promise<string | null> {
  const rows = await db
    .select({ userId: signInLink.userId })
    .from(signInLink)
    .where(and(eq(signInLink.orgId, orgId), eq(signInLink.subject, subject)));
  return rows[0]?.userId ?? null;
}

/** Returns false if this person is already linked to another subject. */
export async function insertLink(db: Queryable, orgId: string, subject: string, userId: string): Promise<boolean> {
  const rows = await db
    .insert(signInLink)
    .values({ orgId, subject, userId })
    .onConflictDoNothing()
    .returning({ userId: signInLink.userId });
  return rows.length > 0;
}

export async function deleteLinks(db: Queryable, orgId: string): Promise<void> {
  await db.delete(signInLink).where(eq(signInLink.orgId, orgId));
}

export async function isFormerMember(db: Queryable, orgId: string, userId: string): Promise<boolean> {
  const rows = await db
    .select({ userId: formerMember.userId })
    .from(formerMember)
    .where(and(eq(formerMember.orgId, orgId), eq(formerMember.userId, userId)));
  return rows.length > 0;
}
