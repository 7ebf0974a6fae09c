import type { InvitationRecord } from '../../../contract/dashboard/organizations.ts';
import { Refusal } from '../../../contract/problems.ts';
import type { Role } from '../../../contract/permissions.ts';
import { type Actor, recordAudit } from '../../store/audit.ts';
import {
  closeInvitation,
  countMembers,
  findInvitation,
  insertInvitation,
  INVITATION_DAYS,
  isMemberByEmail,
  listInvitations,
  lockMembers,
  MAX_MEMBERS,
  MAX_OPEN_INVITATIONS,
} from '../../store/members.ts';
import type { ActingMember } from './change-members.ts';
import type { MembersDeps } from './members.ts';
import { presentInvitation } from './read-members.ts';

/** Makes a link to hand over; no mail is sent. A newer link for the same address ends the older one. */
export async function inviteMember(
  deps: MembersDeps,
  orgId: string,
  { email, role }: { email: string; role: Role },
  acting: ActingMember,
  actor: Actor,
): Promise<InvitationRecord> {
  if (role === 'owner' && acting.role !== 'owner') {
    throw new Refusal('role_missing', 'Only an owner makes, changes or removes owners.');
  }
  return deps.db.transaction(async (tx) => {
    await lockMembers(tx, orgId);
    if (await isMemberByEmail(tx, orgId, email)) {
      throw new Refusal('already_exists', 'This person is a member already; change the role instead.');
    }
    const open = await listInvitations(tx, orgId);
    if (open.length >= MAX_OPEN_INVITATIONS || (await countMembers(tx, orgId)) >= MAX_MEMBERS) {
      throw new Refusal(
        'already_exists',
        `An organization has at most ${MAX_MEMBERS} members and ${MAX_OPEN_INVITATIONS} open invitations.`,
      );
    }
    const id = await insertInvitation(tx, orgId, { email, role, inviterId: acting.userId, days: INVITATION_DAYS });
    await recordAudit(tx, { orgId, actor, action: 'invitation.created', subjectId: id, facts: { email, role } });
    return presentInvitation(deps, (await findInvitation(tx, id))!);
  });
}

export async function withdrawInvitation(
  { db }: Pick<MembersDeps, 'db'>,
  orgId: string,
  id: string,
  actor: Actor,
): Promise<void> {
  await db.transaction(async (tx) => {
    if (!(await closeInvitation(tx, orgId, id, 'canceled'))) throw new Refusal('invitation_not_found');
    await recordAudit(tx, { orgId, actor, action: 'invitation.withdrawn', subjectId: id });
  });
}
