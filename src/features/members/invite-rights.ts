import { hasApi } from '../../../contract/plans.ts';
import { Refusal } from '../../../contract/problems.ts';
import { ROLES, type Role } from '../../../contract/permissions.ts';
import { isAtLeast } from '../../access/sessions/session-gate.ts';
import type { Queryable } from '../../store/db.ts';
import { readOperatorId } from '../../store/installation/installation.ts';
import { countMembers, lockMembers, readRole } from '../../store/members/members.ts';
import type { Invitation } from '../../store/members/invitations.ts';

/**
 * The roles whose invitations a person may create, list, renew and withdraw. Only admins and owners may invite, and for
 * no role above their own.
 */
export const invitableBy = (role: Role | null): Role[] =>
  role !== null && isAtLeast(role, 'admin') ? ROLES.filter((one) => isAtLeast(role, one)) : [];

/**
 * Waits for the lock of the members and reads the role under it, because the role that the gate read may be outdated.
 */
export async function lockAs(tx: Queryable, orgId: string, userId: string): Promise<Role> {
  await lockMembers(tx, orgId);
  const role = await readRole(tx, orgId, userId);
  if (role === null) throw new Refusal('organization_not_found');
  return role;
}

/** Locks the members for an action of an admin. */
export async function lockAsAdmin(tx: Queryable, orgId: string, userId: string): Promise<Role> {
  const role = await lockAs(tx, orgId, userId);
  if (!isAtLeast(role, 'admin'))
    throw new Refusal('role_missing', `This action needs the role admin; yours is ${role}.`);
  return role;
}

/**
 * True if the inviter could still create this invitation. The operator is not a member of an organization that was
 * created for another person, so the operator's invitation is valid until the organization has an owner.
 */
export async function isVouchedFor(tx: Queryable, { orgId, inviterId, role }: Invitation): Promise<boolean> {
  if (invitableBy(await readRole(tx, orgId, inviterId)).includes(role)) return true;
  return inviterId === (await readOperatorId(tx)) && (await countMembers(tx, orgId, 'owner')) === 0;
}

/**
 * True if the link may create an account under its address. A mailed link proves the address. A link that was not
 * mailed does not prove an address, and anyone may own a free organization. An invitation link may create an account
 * only if the operator trusts the inviter, because of the paid plan or because the operator invites (docs/adr/0302).
 * The result never depends on the address.
 */
export async function mayMakeAccount(db: Queryable, { mailed, plan, inviterId }: Invitation): Promise<boolean> {
  return mailed || hasApi(plan) || inviterId === (await readOperatorId(db));
}
