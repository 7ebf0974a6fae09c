import type { NewInvitation } from '../../../contract/dashboard/organizations.ts';
import { Refusal } from '../../../contract/problems.ts';
import type { Role } from '../../../contract/permissions.ts';
import { type IssuedInvitation, issueInvitation, renewLink } from '../../access/sessions/issue-invitation.ts';
import { type Actor, recordAudit } from '../../store/organizations/audit.ts';
import type { Queryable } from '../../store/db.ts';
import { MAX_MEMBERS, countMembers, isMemberByEmail } from '../../store/members/members.ts';
import {
  MAX_OPEN_INVITATIONS,
  countInvitations,
  readInvitation,
  withdrawInvitation as withdraw,
} from '../../store/members/invitations.ts';
import { readOrganization } from '../../store/organizations/organizations.ts';
import type { ActingMember, MembersDeps } from './deps.ts';
import { invitableBy, lockAsAdmin } from './invite-rights.ts';
import { presentInvitation } from './read-members.ts';

/**
 * Invites a person to the organization. Only this response shows the link, so that the inviter can pass it on. If the
 * installation has a mail server, the link is mailed and not shown. A newer invitation to the same address ends the
 * older invitation.
 */
export async function inviteMember(
  deps: MembersDeps,
  orgId: string,
  { email, role }: { email: string; role: Role },
  { userId }: ActingMember,
  actor: Actor,
): Promise<NewInvitation> {
  return deps.db.transaction(async (tx) => {
    const replaces = invitableBy(await lockAsAdmin(tx, orgId, userId));
    if (!replaces.includes(role)) {
      throw new Refusal('role_missing', 'Only an owner can add, change or remove owners.');
    }
    if (await isMemberByEmail(tx, orgId, email)) {
      throw new Refusal('already_exists', 'This person is already a member. Change the role instead.');
    }
    if ((await countInvitations(tx, orgId)) >= MAX_OPEN_INVITATIONS || (await countMembers(tx, orgId)) >= MAX_MEMBERS) {
      throw new Refusal(
        'already_exists',
        `An organization has at most ${MAX_MEMBERS} members and ${MAX_OPEN_INVITATIONS} open invitations.`,
      );
    }
    if (deps.queueMail) await deps.mailLimit.take(userId, email);
    const organization = (await readOrganization(tx, orgId))!.name;
    const given = { orgId, organization, email: email.toLowerCase(), role, inviterId: userId, replaces };
    return presented(tx, orgId, await issueInvitation(tx, deps, given, actor));
  });
}

/** Creates another link for an open invitation. The previous link of the invitation ends. */
export async function renewInvitation(
  deps: MembersDeps,
  orgId: string,
  id: string,
  { userId }: ActingMember,
  actor: Actor,
): Promise<NewInvitation> {
  return deps.db.transaction(async (tx) => {
    const roles = invitableBy(await lockAsAdmin(tx, orgId, userId));
    const open = await readInvitation(tx, orgId, id, roles);
    if (!open) throw new Refusal('invitation_not_found');
    if (deps.queueMail) await deps.mailLimit.take(userId, open.email);
    return presented(tx, orgId, await renewLink(tx, deps, { ...open, inviterId: userId }, actor));
  });
}

async function presented(tx: Queryable, orgId: string, { id, url }: IssuedInvitation): Promise<NewInvitation> {
  return { ...presentInvitation((await readInvitation(tx, orgId, id))!), url };
}

export async function withdrawInvitation(
  { db }: Pick<MembersDeps, 'db'>,
  orgId: string,
  id: string,
  { userId }: ActingMember,
  actor: Actor,
): Promise<void> {
  await db.transaction(async (tx) => {
    const roles = invitableBy(await lockAsAdmin(tx, orgId, userId));
    if (!(await withdraw(tx, orgId, id, roles))) throw new Refusal('invitation_not_found');
    await recordAudit(tx, { orgId, actor, action: 'invitation.withdrawn', subjectId: id });
  });
}
