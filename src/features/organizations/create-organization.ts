import type { CreateOrganizationBody, OrganizationRecord } from '../../../contract/dashboard/organizations.ts';
import { Refusal } from '../../../contract/problems.ts';
import { issueInvitation } from '../../access/sessions/issue-invitation.ts';
import { type Actor, recordAudit } from '../../store/organizations/audit.ts';
import { countMemberships, insertMember, lockPerson } from '../../store/members/members.ts';
import { insertOrganization } from '../../store/organizations/organizations.ts';
import type { OrganizationsDeps } from './deps.ts';
import { presentOrganization } from './read-organizations.ts';

/**
 * One person may belong to at most this many organizations. The operator can create any number of organizations for
 * other people.
 */
export const MAX_MEMBERSHIPS = 50;

/**
 * Creates an organization of the person, on the free plan. For the operator, the organization may also be on the paid
 * plan, or belong to another person.
 */
export async function createOrganization(
  deps: OrganizationsDeps,
  who: { userId: string; isOperator: boolean },
  { name, plan = 'free', owner_email: ownerEmail, time_zone: timeZone }: CreateOrganizationBody,
  actor: Actor,
): Promise<OrganizationRecord> {
  if (!who.isOperator && (plan !== 'free' || ownerEmail !== undefined)) throw new Refusal('operator_required');
  return deps.db.transaction(async (tx) => {
    if (!who.isOperator) await lockPerson(tx, who.userId);
    if (!who.isOperator && (await countMemberships(tx, who.userId)) >= MAX_MEMBERSHIPS) {
      throw new Refusal('role_missing', `One person can belong to at most ${MAX_MEMBERSHIPS} organizations.`);
    }
    const made = await insertOrganization(tx, { name, plan, timeZone: timeZone ?? null });
    await recordAudit(tx, {
      orgId: made.id,
      actor,
      action: 'organization.created',
      subjectId: made.id,
      facts: { name, plan },
    });
    if (ownerEmail === undefined) {
      await insertMember(tx, made.id, who.userId, 'owner');
      return presentOrganization({ ...made, role: 'owner' });
    }
    const given = { orgId: made.id, organization: name, email: ownerEmail.toLowerCase(), inviterId: who.userId };
    const { url } = await issueInvitation(tx, deps, { ...given, role: 'owner', replaces: [] }, actor);
    return { ...presentOrganization({ ...made, role: null }), ...(url !== null && { invitation_url: url }) };
  });
}
