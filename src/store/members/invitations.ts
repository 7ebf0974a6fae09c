import { type SQL, and, count, desc, eq, gt, inArray, sql } from 'drizzle-orm';
import { type Plan, ROLES, type Role } from '../../../contract/permissions.ts';
import { invitation, organization } from '../schema/identity.ts';
import type { Queryable } from '../db.ts';
import { newId } from '../../kernel/ids.ts';

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

export const MAX_OPEN_INVITATIONS = 200;

/** An invitation link works for this many days. */
export const INVITATION_DAYS = 7;

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

export const isOpen = () => and(eq(invitation.status, 'pending'), gt(invitation.expiresAt, sql`now()`));

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

/** Finds an invitation only by its token, because the holder of the link does not know the organization. */
export async function findInvitation(db: Queryable, digest: Buffer): Promise<Invitation | null> {
  const rows = await openInvitations(db).where(and(eq(invitation.tokenDigest, digest), isOpen()));
  return rows[0] ?? null;
}

type InvitationLinkRow = { inviterId: string; digest: Buffer; mailed: boolean; days: number };

const linkColumns = ({ inviterId, digest, mailed, days }: InvitationLinkRow) => ({
  inviterId,
  tokenDigest: digest,
  mailed,
  expiresAt: sql`now() + make_interval(days => ${days})`,
});

/** Replaces the open invitations of the same address whose role is in `replaces`. */
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

/** Replaces the link of an open invitation. */
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

/** Withdraws an invitation. Returns true if the invitation was still open. */
export const withdrawInvitation = async (
  db: Queryable,
  orgId: string,
  id: string,
  roles: readonly Role[],
): Promise<boolean> => {
  const open = and(eq(invitation.organizationId, orgId), eq(invitation.id, id));
  return (await cancel(db, and(open, inArray(invitation.role, [...roles])))).length > 0;
};

/**
 * Marks the link with this digest as used. If a link is used twice at the same time, one use gets true. The function
 * checks the link and not the invitation, because a renewal may have replaced the link since its holder opened it.
 */
export async function acceptInvitationLink(db: Queryable, orgId: string, digest: Buffer): Promise<boolean> {
  const closed = await db
    .update(invitation)
    .set({ status: 'accepted' })
    .where(and(eq(invitation.organizationId, orgId), eq(invitation.tokenDigest, digest), isOpen()))
    .returning({ id: invitation.id });
  return closed.length > 0;
}

/** Returns true if this address had an open invitation of this organization, which is then accepted. */
export async function acceptOpenInvitation(db: Queryable, orgId: string, email: string): Promise<boolean> {
  const closed = await db
    .update(invitation)
    .set({ status: 'accepted' })
    .where(and(eq(invitation.organizationId, orgId), eq(invitation.email, email.toLowerCase()), isOpen()))
    .returning({ id: invitation.id });
  return closed.length > 0;
}

export const cancel = (db: Queryable, which: SQL | undefined): Promise<{ id: string; orgId: string }[]> =>
  db
    .update(invitation)
    .set({ status: 'canceled' })
    .where(and(which, isOpen()))
    .returning({ id: invitation.id, orgId: invitation.organizationId });

/** Ends the open invitations for the given roles that a person created in the organization. */
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

/** Ends all open invitations that a person created, in all organizations. */
export const withdrawEverywhere = (db: Queryable, inviterId: string): Promise<{ id: string; orgId: string }[]> =>
  cancel(db, eq(invitation.inviterId, inviterId));
