import { and, asc, count, desc, eq, gt, inArray, type SQL, sql } from 'drizzle-orm';
import { type Plan, type Role, ROLES } from '../../../contract/permissions.ts';
import { newId } from '../../kernel/ids.ts';
import type { Queryable } from '../db.ts';
import { invitation, member, organization, session, user } from '../schema/identity.ts';
import { formerMember, signInLink } from '../schema/sign-in.ts';

export type Member = { id: string; userId: string; name: string; email: string; role: Role; createdAt: Date };

export type Invitation = {
  id: string;
  orgId: string;
  organization: string;
  plan: Plan;
  email: string;
  role: Role;
  inviterId: string;
  mailed: boolean;
  createdAt: Date;
  expiresAt: Date;
};

export const MAX_MEMBERS = 500;
export const MAX_OPEN_INVITATIONS = 200;
/** How long an invitation link works. */
export const INVITATION_DAYS = 7;

const memberColumns = {
  id: member.id,
  userId: member.userId,
  name: user.name,
  email: user.email,
  role: sql<Role>`${member.role}`,
  createdAt: member.createdAt,
};

const membersOf = (db: Queryable) =>
  db.select(memberColumns).from(member).innerJoin(user, eq(user.id, member.userId)).$dynamic();

export const listMembers = async (db: Queryable, orgId: string): Promise<Member[]> =>
  membersOf(db)
    .where(eq(member.organizationId, orgId))
    .orderBy(asc(member.createdAt), asc(member.id))
    .limit(MAX_MEMBERS);

export async function readMember(db: Queryable, orgId: string, memberId: string): Promise<Member | null> {
  const rows = await membersOf(db).where(and(eq(member.organizationId, orgId), eq(member.id, memberId)));
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

/** What a person may do here; null: nothing, not one of the members. */
export async function readRole(db: Queryable, orgId: string, userId: string): Promise<Role | null> {
  const rows = await db
    .select({ role: sql<Role>`${member.role}` })
    .from(member)
    .where(and(eq(member.organizationId, orgId), eq(member.userId, userId)));
  return rows[0]?.role ?? null;
}

/** Puts everybody who changes the members of this organization into one line until the transaction ends. */
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

export async function countMemberships(db: Queryable, userId: string): Promise<number> {
  const rows = await db.select({ many: count() }).from(member).where(eq(member.userId, userId));
  return rows[0]!.many;
}

export async function isMemberByEmail(db: Queryable, orgId: string, email: string): Promise<boolean> {
  const rows = await membersOf(db).where(and(eq(member.organizationId, orgId), eq(user.email, email.toLowerCase())));
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

/** It is remembered who left: signing in by the organization's provider does not bring them back, only an invitation. */
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

const invitationColumns = {
  id: invitation.id,
  orgId: invitation.organizationId,
  organization: organization.name,
  plan: sql<Plan>`${organization.plan}`,
  email: invitation.email,
  role: sql<Role>`${invitation.role}`,
  inviterId: invitation.inviterId,
  mailed: invitation.mailed,
  createdAt: invitation.createdAt,
  expiresAt: invitation.expiresAt,
};

const isOpen = () => and(eq(invitation.status, 'pending'), gt(invitation.expiresAt, sql`now()`));

const openInvitations = (db: Queryable) =>
  db
    .select(invitationColumns)
    .from(invitation)
    .innerJoin(organization, eq(organization.id, invitation.organizationId))
    .$dynamic();

export const listInvitations = async (
  db: Queryable,
  orgId: string,
  roles: readonly Role[] = ROLES,
): Promise<Invitation[]> =>
  openInvitations(db)
    .where(and(eq(invitation.organizationId, orgId), inArray(invitation.role, [...roles]), isOpen()))
    .orderBy(desc(invitation.createdAt), desc(invitation.id))
    .limit(MAX_OPEN_INVITATIONS);

export async function countInvitations(db: Queryable, orgId: string): Promise<number> {
  const rows = await db
    .select({ many: count() })
    .from(invitation)
    .where(and(eq(invitation.organizationId, orgId), isOpen()));
  return rows[0]!.many;
}

export async function readInvitation(
  db: Queryable,
  orgId: string,
  id: string,
  roles: readonly Role[] = ROLES,
): Promise<Invitation | null> {
  const rows = await openInvitations(db).where(
    and(eq(invitation.organizationId, orgId), eq(invitation.id, id), inArray(invitation.role, [...roles]), isOpen()),
  );
  return rows[0] ?? null;
}

/** By its token alone: whoever holds the link does not know the organization. */
export async function findInvitation(db: Queryable, digest: Buffer): Promise<Invitation | null> {
  const rows = await openInvitations(db).where(and(eq(invitation.tokenDigest, digest), isOpen()));
  return rows[0] ?? null;
}

export type InvitationLinkRow = { inviterId: string; digest: Buffer; mailed: boolean; days: number };

const linkColumns = ({ inviterId, digest, mailed, days }: InvitationLinkRow) => ({
  inviterId,
  tokenDigest: digest,
  mailed,
  expiresAt: sql`now() + make_interval(days => ${days})`,
});

/** Takes the place of open invitations of the same address with one of the `replaces` roles. */
export async function insertInvitation(
  db: Queryable,
  orgId: string,
  input: InvitationLinkRow & { email: string; role: Role; replaces: readonly Role[] },
): Promise<string> {
  const id = newId('invite');
  const email = input.email.toLowerCase();
  const older = and(eq(invitation.email, email), inArray(invitation.role, [...input.replaces]));
  await cancel(db, and(eq(invitation.organizationId, orgId), older));
  await db.insert(invitation).values({ id, organizationId: orgId, email, role: input.role, ...linkColumns(input) });
  return id;
}

/** Gives an open invitation another link. */
export async function renewInvitation(
  db: Queryable,
  orgId: string,
  id: string,
  link: InvitationLinkRow,
): Promise<void> {
  await db
    .update(invitation)
    .set(linkColumns(link))
    .where(and(eq(invitation.organizationId, orgId), eq(invitation.id, id), isOpen()));
}

/** True when it was open: of two who use one link at the same moment, one gets true. */
export async function closeInvitation(
  db: Queryable,
  orgId: string,
  id: string,
  status: 'accepted' | 'canceled',
  roles: readonly Role[],
): Promise<boolean> {
  const closed = await db
    .update(invitation)
    .set({ status })
    .where(
      and(eq(invitation.organizationId, orgId), eq(invitation.id, id), inArray(invitation.role, [...roles]), isOpen()),
    )
    .returning({ id: invitation.id });
  return closed.length > 0;
}

/** True when this address had an open invitation here; it is used up. */
export async function acceptOpenInvitation(db: Queryable, orgId: string, email: string): Promise<boolean> {
  const closed = await db
    .update(invitation)
    .set({ status: 'accepted' })
    .where(and(eq(invitation.organizationId, orgId), eq(invitation.email, email.toLowerCase()), isOpen()))
    .returning({ id: invitation.id });
  return closed.length > 0;
}
/** Ends the open invitations that a person made here for these roles. */
export const withdrawInvitationsOf = async (
  db: Queryable,
  orgId: string,
  inviterId: string,
  roles: readonly Role[],
): Promise<{ id: string }[]> =>
  roles.length === 0
    ? []
    : cancel(
        db,
        and(
          eq(invitation.organizationId, orgId),
          eq(invitation.inviterId, inviterId),
          inArray(invitation.role, [...roles]),
        ),
      );

/** Ends all open invitations that a person made, in all organizations. */
export const withdrawEverywhere = (db: Queryable, inviterId: string): Promise<{ id: string; orgId: string }[]> =>
  cancel(db, eq(invitation.inviterId, inviterId));

const cancel = (db: Queryable, which: SQL | undefined): Promise<{ id: string; orgId: string }[]> =>
  db
    .update(invitation)
    .set({ status: 'canceled' })
    .where(and(which, isOpen()))
    .returning({ id: invitation.id, orgId: invitation.organizationId });
