import { and, asc, count, eq, sql } from 'drizzle-orm';
import type { Role } from '../../../contract/permissions.ts';
import { newId } from '../../kernel/ids.ts';
import type { Queryable } from '../db.ts';
import { memberAttendance } from '../schema/hand-off-rule.ts';
import { member, organization, session, user } from '../schema/identity.ts';
import { passkey, secondFactor } from '../schema/second-factor.ts';
import { formerMember, signInLink } from '../schema/sign-in.ts';

export type Member = {
  id: string;
  userId: string;
  name: string;
  email: string;
  role: Role;
  secondFactor: boolean;
  away: boolean;
  createdAt: Date;
};

export const MAX_MEMBERS = 500;
const memberColumns = {
  id: member.id,
  userId: member.userId,
  name: user.name,
  email: user.email,
  role: sql<Role>`${member.role}`,
  secondFactor: sql<boolean>`EXISTS (SELECT 1 FROM ${secondFactor} f WHERE f.user_id = ${member.userId} AND f.confirmed_at IS NOT NULL)
    OR EXISTS (SELECT 1 FROM ${passkey} p WHERE p.user_id = ${member.userId})`,
  createdAt: member.createdAt,
};

/**
 * Attendances are in the cell, and members in the region. Citus joins the two tables only if the attendances are in a
 * subquery of their own.
 */
function membersOf(db: Queryable, orgId: string) {
  const away = db
    .select({ userId: memberAttendance.userId })
    .from(memberAttendance)
    .where(and(eq(memberAttendance.orgId, orgId), memberAttendance.away))
    .as('away');
  return db
    .select({ ...memberColumns, away: sql<boolean>`${away.userId} IS NOT NULL` })
    .from(member)
    .innerJoin(user, eq(user.id, member.userId))
    .leftJoin(away, eq(away.userId, member.userId))
    .$dynamic();
}

export const listMembers = async (db: Queryable, orgId: string): Promise<Member[]> =>
  membersOf(db, orgId)
    .where(eq(member.organizationId, orgId))
    .orderBy(asc(member.createdAt), asc(member.id))
    .limit(MAX_MEMBERS);

export async function readMember(db: Queryable, orgId: string, memberId: string): Promise<Member | null> {
  const rows = await membersOf(db, orgId).where(and(eq(member.organizationId, orgId), eq(member.id, memberId)));
  return rows[0] ?? null;
}

export async function readOwnerAddresses(
  db: Queryable,
  orgId: string,
): Promise<{ organization: string; addresses: string[] }> {
  const rows = await db
    .select({ organization: organization.name, email: user.email })
    .from(organization)
    .innerJoin(member, and(eq(member.organizationId, organization.id), eq(member.role, 'owner')))
    .innerJoin(user, eq(user.id, member.userId))
    .where(eq(organization.id, orgId))
    .limit(MAX_MEMBERS);
  return { organization: rows[0]?.organization ?? '', addresses: rows.map(({ email }) => email) };
}

/** The person's role in this organization. Null: the person is not a member. */
export async function readRole(db: Queryable, orgId: string, userId: string): Promise<Role | null> {
  const rows = await db
    .select({ role: sql<Role>`${member.role}` })
    .from(member)
    .where(and(eq(member.organizationId, orgId), eq(member.userId, userId)));
  return rows[0]?.role ?? null;
}

/** Returns false if the person is not a member. */
export async function writeOpensNext(
  db: Queryable,
  orgId: string,
  userId: string,
  opensNext: boolean,
): Promise<boolean> {
  const changed = await db
    .update(member)
    .set({ opensNext })
    .where(and(eq(member.organizationId, orgId), eq(member.userId, userId)));
  return (changed.rowCount ?? 0) > 0;
}

/**
 * Returns the role of the acting person. A removal or role change of the acting person waits until this transaction
 * ends.
 */
export async function holdMember(tx: Queryable, orgId: string, userId: string): Promise<Role | null> {
  const rows = await tx
    .select({ role: sql<Role>`${member.role}` })
    .from(member)
    .where(and(eq(member.organizationId, orgId), eq(member.userId, userId)))
    .for('share');
  return rows[0]?.role ?? null;
}

/** Serializes all changes of this organization's members until the transaction ends. */
export async function lockMembers(db: Queryable, orgId: string): Promise<void> {
  await db.execute(sql`SELECT 1 FROM organization WHERE id = ${orgId} FOR NO KEY UPDATE`);
}

export async function countMembers(db: Queryable, orgId: string, role?: Role): Promise<number> {
  const rows = await db
    .select({ many: count() })
    .from(member)
    .where(and(eq(member.organizationId, orgId), role ? eq(member.role, role) : undefined));
  return rows[0]!.many;
}

/** Serializes, until the transaction ends, all changes that depend on the number of this person's memberships. */
export async function lockPerson(db: Queryable, userId: string): Promise<void> {
  await db.execute(sql`SELECT 1 FROM "user" WHERE id = ${userId} FOR NO KEY UPDATE`);
}

export async function countMemberships(db: Queryable, userId: string): Promise<number> {
  const rows = await db.select({ many: count() }).from(member).where(eq(member.userId, userId));
  return rows[0]!.many;
}

export async function isMemberByEmail(db: Queryable, orgId: string, email: string): Promise<boolean> {
  const rows = await membersOf(db, orgId).where(
    and(eq(member.organizationId, orgId), eq(user.email, email.toLowerCase())),
  );
  return rows.length > 0;
}

export async function insertMember(db: Queryable, orgId: string, userId: string, role: Role): Promise<string> {
  const id = newId('member');
  await db.insert(member).values({ id, organizationId: orgId, userId, role });
  await db.delete(formerMember).where(and(eq(formerMember.orgId, orgId), eq(formerMember.userId, userId)));
  return id;
}

export async function setMemberRole(db: Queryable, orgId: string, memberId: string, role: Role): Promise<void> {
  await db
    .update(member)
    .set({ role })
    .where(and(eq(member.organizationId, orgId), eq(member.id, memberId)));
}

/**
 * Records that the member left. A sign-in through the organization's provider does not restore the membership, but an
 * invitation does.
 */
export async function deleteMember(db: Queryable, orgId: string, memberId: string): Promise<void> {
  const rows = await db
    .delete(member)
    .where(and(eq(member.organizationId, orgId), eq(member.id, memberId)))
    .returning({ userId: member.userId });
  for (const { userId } of rows) {
    await db.insert(formerMember).values({ orgId, userId }).onConflictDoNothing();
    await db.delete(signInLink).where(and(eq(signInLink.orgId, orgId), eq(signInLink.userId, userId)));
    await db.delete(session).where(and(eq(session.userId, userId), eq(session.signInOrgId, orgId)));
  }
}
