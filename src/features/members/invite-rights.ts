import { Refusal } from '../../../contract/problems.ts';
import { ROLES, type Role } from '../../../contract/permissions.ts';
import { isAtLeast } from '../../access/sessions/session-gate.ts';
import type { Queryable } from '../../store/db.ts';
import { readOperatorId } from '../../store/installation/installation.ts';
import { countMembers, type Invitation, lockMembers, readRole } from '../../store/organizations/members.ts';

/** The roles whose invitations somebody may make, list, renew and withdraw: admins and owners, none above their own. */
export const invitableBy = (role: Role | null): Role[] =>
  role !== null && isAtLeast(role, 'admin') ? ROLES.filter((one) => isAtLeast(role, one)) : [];

/** Waits for the members' lock and reads the role under it: what the gate has read may be over by now. */
export async function lockAs(tx: Queryable, orgId: string, userId: string): Promise<Role> {
  await lockMembers(tx, orgId);
  const role = await readRole(tx, orgId, userId);
  if (role === null) throw new Refusal('organization_not_found');
  return role;
}

/** The same, for what admins do. */
export async function lockAsAdmin(tx: Queryable, orgId: string, userId: string): Promise<Role> {
  const role = await lockAs(tx, orgId, userId);
  if (!isAtLeast(role, 'admin')) throw new Refusal('role_missing', `This needs the role admin; yours is ${role}.`);
  return role;
}

/**
 * Whether the inviter could still make this invitation. The operator belongs to no organization that was made for
 * somebody else: that invitation counts until there is an owner.
 */
export async function isVouchedFor(tx: Queryable, { orgId, inviterId, role }: Invitation): Promise<boolean> {
  if (invitableBy(await readRole(tx, orgId, inviterId)).includes(role)) return true;
  return inviterId === (await readOperatorId(tx)) && (await countMembers(tx, orgId, 'owner')) === 0;
}

/**
 * Whether the link may make an account under its address. A mailed link proves the address. One that was handed over
 * proves nothing, and everybody may own a free organization: so only where the operator vouches for who invites, by
 * having put the organization on the paid plan or by inviting (docs/adr/0302). The answer never depends on the address.
 */
export async function mayMakeAccount(db: Queryable, { mailed, plan, inviterId }: Invitation): Promise<boolean> {
  return mailed || plan === 'paid' || inviterId === (await readOperatorId(db));
}
