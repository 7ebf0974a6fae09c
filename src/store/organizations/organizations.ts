import { and, eq, ilike, isNull, or, sql } from 'drizzle-orm';
import type { Plan, Role } from '../../../contract/permissions.ts';
import { newId } from '../../kernel/ids.ts';
import { findCell } from '../cells/find-cell.ts';
import type { Queryable } from '../db.ts';
import { behind, newestFirst, pageOf, type PageOf, type PageRequest } from '../page.ts';
import { containing } from '../search-text.ts';
import { member, organization } from '../schema/identity.ts';

export type Organization = {
  id: string;
  name: string;
  plan: Plan;
  requiresSecondFactor: boolean;
  timeZone: string | null;
  createdAt: Date;
};
export type Membership = Organization & { role: Role };

const columns = {
  id: organization.id,
  name: organization.name,
  plan: sql<Plan>`${organization.plan}`,
  requiresSecondFactor: organization.requiresSecondFactor,
  timeZone: organization.timeZone,
  createdAt: organization.createdAt,
};

export async function insertOrganization(
  db: Queryable,
  input: { name: string; plan: Plan; timeZone?: string | null },
): Promise<Organization> {
  const id = newId('org');
  // The slug is a column of better-auth that Parley does not show. The ID of an organization is a unique slug.
  const rows = await db
    .insert(organization)
    .values({ id, slug: id, cell: await findCell(db), ...input })
    .returning(columns);
  return rows[0]!;
}

export async function readOrganization(db: Queryable, orgId: string): Promise<Organization | null> {
  const rows = await db.select(columns).from(organization).where(eq(organization.id, orgId));
  return rows[0] ?? null;
}

export async function changeOrganization(
  db: Queryable,
  orgId: string,
  changes: { name?: string; timeZone?: string },
): Promise<Organization | null> {
  const rows = await db.update(organization).set(changes).where(eq(organization.id, orgId)).returning(columns);
  return rows[0] ?? null;
}

export async function setOrganizationPlan(db: Queryable, orgId: string, plan: Plan): Promise<Organization | null> {
  const rows = await db.update(organization).set({ plan }).where(eq(organization.id, orgId)).returning(columns);
  return rows[0] ?? null;
}

export async function setSecondFactorRequired(
  db: Queryable,
  orgId: string,
  required: boolean,
): Promise<Organization | null> {
  const set = { requiresSecondFactor: required };
  const rows = await db.update(organization).set(set).where(eq(organization.id, orgId)).returning(columns);
  return rows[0] ?? null;
}

/** The person's role in an organization. Null: the person is not a member. */
export async function findMembership(db: Queryable, orgId: string, userId: string): Promise<Membership | null> {
  const rows = await db
    .select({ ...columns, role: sql<Role>`${member.role}` })
    .from(member)
    .innerJoin(organization, eq(organization.id, member.organizationId))
    .where(and(eq(member.organizationId, orgId), eq(member.userId, userId)));
  return rows[0] ?? null;
}

/** `onlyOrgId`: returns only this organization. */
export async function listMemberships(
  db: Queryable,
  userId: string,
  onlyOrgId: string | null,
  { limit, after }: PageRequest,
): Promise<PageOf<Membership & { opensNext: boolean }>> {
  const rows = await db
    .select({ ...columns, role: sql<Role>`${member.role}`, opensNext: member.opensNext })
    .from(member)
    .innerJoin(organization, eq(organization.id, member.organizationId))
    .where(
      and(
        eq(member.userId, userId),
        onlyOrgId === null ? undefined : eq(member.organizationId, onlyOrgId),
        behind(organization.createdAt, organization.id, after),
      ),
    )
    .orderBy(...newestFirst(organization.createdAt, organization.id))
    .limit(limit + 1);
  return pageOf(rows, limit);
}

/** Only the operator gets this list. */
export async function listAllOrganizations(
  db: Queryable,
  userId: string,
  text: string | undefined,
  { limit, after }: PageRequest,
): Promise<PageOf<Organization & { role: Role | null; cell: string }>> {
  const rows = await db
    .select({ ...columns, role: sql<Role | null>`${member.role}`, cell: organization.cell })
    .from(organization)
    .leftJoin(member, and(eq(member.organizationId, organization.id), eq(member.userId, userId)))
    .where(
      and(
        text === undefined ? undefined : or(ilike(organization.name, containing(text)), eq(organization.id, text)),
        behind(organization.createdAt, organization.id, after),
      ),
    )
    .orderBy(...newestFirst(organization.createdAt, organization.id))
    .limit(limit + 1);
  return pageOf(rows, limit);
}

/** Lists at most `limit` organizations without members, such as the demo before the installation has an owner. */
export async function listOrganizationsWithoutMembers(db: Queryable, limit: number): Promise<Organization[]> {
  return db
    .select(columns)
    .from(organization)
    .leftJoin(member, eq(member.organizationId, organization.id))
    .where(isNull(member.id))
    .orderBy(organization.createdAt)
    .limit(limit);
}
