import type { CreateOrganizationBody, OrganizationRecord } from '../../../contract/dashboard/organizations.ts';
import { Refusal } from '../../../contract/problems.ts';
import { invitationUrl } from '../../access/sessions/invitation-link.ts';
import { type Actor, recordAudit } from '../../store/audit.ts';
import { countMemberships, insertInvitation, insertMember, INVITATION_DAYS } from '../../store/members.ts';
import { insertOrganization } from '../../store/organizations.ts';
import type { OrganizationsDeps } from './organizations.ts';
import { presentOrganization } from './read-organizations.ts';

/** Organizations that one person may belong to; the operator makes as many as needed, for others. */
export const MAX_MEMBERSHIPS = 50;

/** A new organization of one's own, on the free plan. For the operator: also on the paid plan, also for somebody else. */
export async function createOrganization(
  { db, setupKey, baseUrl }: OrganizationsDeps,
  who: { userId: string; isOperator: boolean },
  { name, plan = 'free', owner_email: ownerEmail }: CreateOrganizationBody,
  actor: Actor,
): Promise<OrganizationRecord> {
  if (!who.isOperator && (plan !== 'free' || ownerEmail !== undefined)) throw new Refusal('operator_required');
  return db.transaction(async (tx) => {
    if (!who.isOperator && (await countMemberships(tx, who.userId)) >= MAX_MEMBERSHIPS) {
      throw new Refusal('role_missing', `One person can belong to at most ${MAX_MEMBERSHIPS} organizations.`);
    }
    const made = await insertOrganization(tx, { name, plan });
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
    const id = await insertInvitation(tx, made.id, {
      email: ownerEmail,
      role: 'owner',
      inviterId: who.userId,
      days: INVITATION_DAYS,
    });
    await recordAudit(tx, {
      orgId: made.id,
      actor,
      action: 'invitation.created',
      subjectId: id,
      facts: { role: 'owner' },
    });
    return { ...presentOrganization({ ...made, role: null }), invitation_url: invitationUrl(baseUrl, setupKey, id) };
  });
}
