import { and, desc, eq, gt, ne } from 'drizzle-orm';
import type { Queryable } from '../db.ts';
import { session } from '../schema/identity.ts';

/**
 * The list of a person's sessions has at most this length. Sessions beyond this number stay signed in, but are not
 * listed.
 */
const MAX_SESSIONS_LISTED = 100;

export async function listSessions(db: Queryable, userId: string) {
  return db
    .select({
      id: session.id,
      address: session.ipAddress,
      userAgent: session.userAgent,
      createdAt: session.createdAt,
      updatedAt: session.updatedAt,
      expiresAt: session.expiresAt,
    })
    .from(session)
    .where(and(eq(session.userId, userId), gt(session.expiresAt, new Date())))
    .orderBy(desc(session.createdAt))
    .limit(MAX_SESSIONS_LISTED);
}

/** Returns true if this person had such a session. */
export async function deleteSession(db: Queryable, userId: string, sessionId: string): Promise<boolean> {
  const gone = await db
    .delete(session)
    .where(and(eq(session.userId, userId), eq(session.id, sessionId)))
    .returning({ id: session.id });
  return gone.length > 0;
}

/** This function is called directly after a sign-in, when only the person who signed in has the token. */
export async function deleteSessionByToken(db: Queryable, userId: string, token: string): Promise<void> {
  await db.delete(session).where(and(eq(session.userId, userId), eq(session.token, token)));
}

export async function deleteOtherSessions(db: Queryable, userId: string, keepId: string): Promise<void> {
  await db.delete(session).where(and(eq(session.userId, userId), ne(session.id, keepId)));
}

export async function deleteSessions(db: Queryable, userId: string): Promise<void> {
  await db.delete(session).where(eq(session.userId, userId));
}
