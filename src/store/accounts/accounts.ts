import { eq, inArray } from 'drizzle-orm';
import { newId } from '../../kernel/ids.ts';
import type { Queryable } from '../db.ts';
import { account, user } from '../schema/identity.ts';

/** People and their sessions (see src/access/sessions). Addresses are stored in lower case. */
export type Person = {
  id: string;
  name: string;
  email: string;
  /**
   * An address is verified by a mailed link, or by the operator's confirmation (src/features/members/claim-account.ts).
   */
  emailVerified: boolean;
};

export const person = { id: user.id, name: user.name, email: user.email, emailVerified: user.emailVerified };

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

/** Stores a person with a password, in the format of better-auth (provider "credential"). */
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

export async function markVerified(db: Queryable, userId: string): Promise<void> {
  await db.update(user).set({ emailVerified: true, updatedAt: new Date() }).where(eq(user.id, userId));
}

export async function setName(db: Queryable, userId: string, name: string): Promise<void> {
  await db.update(user).set({ name, updatedAt: new Date() }).where(eq(user.id, userId));
}
