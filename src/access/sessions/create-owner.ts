import { Refusal } from '../../../contract/problems.ts';
import type { Db, Queryable } from '../../store/db.ts';
import { claimOperator } from '../../store/installation/installation.ts';
import { insertMember } from '../../store/members/members.ts';
import { insertOrganization, listOrganizationsWithoutMembers } from '../../store/organizations/organizations.ts';
import { recordAudit } from '../../store/organizations/audit.ts';
import { insertPerson, type Person } from '../../store/accounts/accounts.ts';

export type NewOwner = {
  name: string;
  email: string;
  passwordHash: string;
  /** Null: the owner gets the demo organization if it exists, otherwise an organization named after the owner. */
  organizationName: string | null;
  timeZone?: string | null;
  /** The request that creates the owner, for the audit log. */
  from?: { address: string; requestId: string };
};

/** In practice, only the demo has no members. */
const MAX_JOINED = 10;

/**
 * Creates the first owner, who is the operator of the installation. The installation creates its first owner only once,
 * because its row decides between simultaneous attempts. The owner also joins organizations without members, such as
 * the demo. The organization that this function creates is on the paid plan, and all later organizations start on the
 * free plan. The address counts as proven, because no one creates an operator's account for another person.
 */
export async function createOwner(
  db: Db,
  owner: NewOwner,
  linkDigest: Buffer | null,
): Promise<{ person: Person; organizationId: string }> {
  return db.transaction(async (tx) => {
    const person = await insertPerson(tx, { ...owner, emailVerified: true });
    if (!(await claimOperator(tx, person.id, linkDigest))) throw new Refusal('setup_closed');
    const organizationId = await organizationOf(tx, owner, person.id);
    if (owner.from) {
      const actor = { userId: person.id, ...owner.from };
      await recordAudit(tx, { orgId: organizationId, actor, action: 'installation.set_up', subjectId: person.id });
    }
    return { person, organizationId };
  });
}

async function organizationOf(tx: Queryable, owner: NewOwner, userId: string): Promise<string> {
  const joined = await joinOrganizationsWithoutMembers(tx, userId);
  if (owner.organizationName === null && joined !== null) return joined;
  const name = owner.organizationName ?? owner.name;
  const { id } = await insertOrganization(tx, { name, plan: 'paid', timeZone: owner.timeZone ?? null });
  await insertMember(tx, id, userId, 'owner');
  return id;
}

async function joinOrganizationsWithoutMembers(tx: Queryable, userId: string): Promise<string | null> {
  const organizations = await listOrganizationsWithoutMembers(tx, MAX_JOINED);
  for (const { id } of organizations) await insertMember(tx, id, userId, 'owner');
  return organizations[0]?.id ?? null;
}
