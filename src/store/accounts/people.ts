import { and, desc, eq, gt, inArray, ne } from 'drizzle-orm';
import { newId } from '../../kernel/ids.ts';
import type { Queryable } from '../db.ts';
import { account, session, user } from '../schema/identity.ts';

/** People and where they are signed in; see src/access/sessions. Addresses are stored in lower case. */
export type Person = {
  id: string;
  name: string;
  email: string;
  /** By a mailed link, or by the operator's word (src/features/members/claim-account.ts). */
  emailVerified: boolean;
};

/** Sessions that a person is shown; more than that are signed in all the same. */
const MAX_SESSIONS_LISTED = 100;

const person = { id: user.id, name: user.name, email: user.email, emailVerified: user.emailVerified };

export async function findPerson(db: Queryable, id: string): Promise<Person | null> {
  const rows = await db.select(person).from(user).where(eq(user.id, id));
  return rows[0] ?? null;
}

export async function findPersonByEmail(db: Queryable, email: string): Promise<Person | null> {
  const rows = await db.select(person).from(user).where(eq(user.email, email.toLowerCase()));
  return rows[0] ?? null;
}

export async function findPeople(db: Queryable, userIds: readonly string[]): Promise<Map<string, Person>> {
  if (userIds.length === 0) return new Map();
  const rows = await db
    .select(person)
    .from(user)
    .where(inArray(user.id, [...new Set(userIds)]));
  return new Map(rows.map((row) => [row.id, row]));
}

export async function namesOf(db: Queryable, userIds: readonly string[]): Promise<Map<string, string>> {
  return new Map([...(await findPeople(db, userIds))].map(([id, { name }]) => [id, name]));
}

/** A person with a password, in the form in which better-auth keeps them (provider "credential"). */
export async function insertPerson(
  db: Queryable,
  input: { name: string; email: string; passwordHash: string; emailVerified?: boolean },
): Promise<Person> {
  const id = newId('user');
  const { name, emailVerified = false } = input;
  const made = { id, name, email: input.email.toLowerCase(), emailVerified };
  await db.insert(user).values(made);
  await db.insert(account).values({
    id: newId('account'),
    accountId: id,
    providerId: 'credential',
    userId: id,
    password: input.passwordHash,
  });
  return made;
}

export async function readPasswordHash(db: Queryable, userId: string): Promise<string | null> {
  const rows = await db
    .select({ password: account.password })
    .from(account)
    .where(and(eq(account.userId, userId), eq(account.providerId, 'credential')));
  return rows[0]?.password ?? null;
}

/** Who signs in with this address, and against what their password is held; null: nobody does. */
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

/** True when there was such a session of this person. */
export async function deleteSession(db: Queryable, userId: string, sessionId: string): Promise<boolean> {
  const gone = await db
    .delete(session)
    .where(and(eq(session.userId, userId), eq(session.id, sessionId)))
    .returning({ id: session.id });
  return gone.length > 0;
}

/** For the moment after signing in, when nobody but who signed in has the token. */
export async function deleteSessionByToken(db: Queryable, userId: string, token: string): Promise<void> {
  await db.delete(session).where(and(eq(session.userId, userId), eq(session.token, token)));
}

export async function deleteOtherSessions(db: Queryable, userId: string, keepId: string): Promise<void> {
  await db.delete(session).where(and(eq(session.userId, userId), ne(session.id, keepId)));
}

export async function deleteSessions(db: Queryable, userId: string): Promise<void> {
  await db.delete(session).where(eq(session.userId, userId));
}

export async function markVerified(db: Queryable, userId: string): Promise<void> {
  await db.update(user).set({ emailVerified: true, updatedAt: new Date() }).where(eq(user.id, userId));
}

export async function setName(db: Queryable, userId: string, name: string): Promise<void> {
  await db.update(user).set({ name, updatedAt: new Date() }).where(eq(user.id, userId));
}
