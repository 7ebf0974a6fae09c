import type { MemberRecord } from '../../../contract/dashboard/organizations.ts';
import { Refusal } from '../../../contract/problems.ts';
import { ROLES, type Role } from '../../../contract/permissions.ts';
import { mayAnswer } from '../../access/sessions/may-answer.ts';
import { isAtLeast } from '../../access/sessions/session-gate.ts';
import { endTokensOfMember } from '../../store/access-tokens/end-tokens.ts';
import { forgetSeenBy, releaseConversationsOf } from '../../store/conversations/inbox.ts';
import { forgetMentionsOf } from '../../store/conversations/notes.ts';
import { forgetPresenceOf } from '../../store/conversations/presence.ts';
import { forgetHandOffsTo } from '../../store/hand-offs/rules.ts';
import { forgetViewsOf } from '../../store/conversations/views.ts';
import { forgetRepliesTo } from '../../store/saved-replies.ts';
import { type Actor, recordAudit } from '../../store/organizations/audit.ts';
import type { Queryable } from '../../store/db.ts';
import {
  type Member,
  countMembers,
  deleteMember,
  readMember,
  setMemberRole as writeRole,
} from '../../store/members/members.ts';
import { withdrawInvitationsOf } from '../../store/members/invitations.ts';
import { invitableBy, lockAs, lockAsAdmin } from './invite-rights.ts';
import type { ActingMember, MembersDeps } from './deps.ts';
import { presentMember } from './read-members.ts';

/**
 * Only owners can make a member an owner or change an owner, and at least one owner always remains. A person who loses
 * rights also loses the invitations that this person created.
 */
export async function setMemberRole(
  { db }: Pick<MembersDeps, 'db'>,
  orgId: string,
  memberId: string,
  role: Role,
  { userId }: ActingMember,
  actor: Actor,
): Promise<MemberRecord> {
  return db.transaction(async (tx) => {
    const own = await lockAsAdmin(tx, orgId, userId);
    const member = await foundMember(tx, orgId, memberId);
    if (member.role === role) return presentMember(member, own);
    if (member.role === 'owner' || role === 'owner') requireOwner(own);
    if (member.role === 'owner') await requireAnotherOwner(tx, orgId);
    await writeRole(tx, orgId, memberId, role);
    await recordAudit(tx, {
      orgId,
      actor,
      action: 'member.role_set',
      subjectId: memberId,
      facts: { user_id: member.userId, from: member.role, to: role },
    });
    await withdrawLost(tx, orgId, member.userId, role, actor);
    if (!isAtLeast(role, 'admin')) await endTokensOfMember(tx, orgId, member.userId, { all: false }, actor);
    if (!mayAnswer(role)) await releaseConversationsOf(tx, orgId, member.userId);
    return presentMember({ ...member, role }, own);
  });
}

/** Every member may leave. Admins can remove members and viewers, and owners can remove every member. */
export async function removeMember(
  { db }: Pick<MembersDeps, 'db'>,
  orgId: string,
  memberId: string,
  { userId }: ActingMember,
  actor: Actor,
): Promise<void> {
  await db.transaction(async (tx) => {
    const own = await lockAs(tx, orgId, userId);
    const member = await foundMember(tx, orgId, memberId);
    if (member.userId !== userId) {
      if (member.role === 'owner') requireOwner(own);
      else if (!isAtLeast(own, 'admin')) {
        throw new Refusal('role_missing', 'To remove other members you need the role admin. You may remove yourself.');
      }
    }
    if (member.role === 'owner') await requireAnotherOwner(tx, orgId);
    await deleteMember(tx, orgId, memberId);
    await recordAudit(tx, {
      orgId,
      actor,
      action: 'member.removed',
      subjectId: memberId,
      facts: { user_id: member.userId, role: member.role },
    });
    await withdrawLost(tx, orgId, member.userId, null, actor);
    await endTokensOfMember(tx, orgId, member.userId, { all: true }, actor);
    await releaseConversationsOf(tx, orgId, member.userId);
    await forgetSeenBy(tx, orgId, member.userId);
    await forgetPresenceOf(tx, orgId, member.userId);
    await forgetHandOffsTo(tx, orgId, member.userId);
    await forgetRepliesTo(tx, orgId, member.userId);
    await forgetViewsOf(tx, orgId, member.userId);
    await forgetMentionsOf(tx, orgId, member.userId);
  });
}

/**
 * Ends the open invitations of a person who may no longer create invitations, because an invitation to oneself would
 * restore the role.
 */
async function withdrawLost(
  tx: Queryable,
  orgId: string,
  userId: string,
  role: Role | null,
  actor: Actor,
): Promise<void> {
  const allowed = invitableBy(role);
  const lost = ROLES.filter((one) => !allowed.includes(one));
  const facts = { reason: role === null ? 'inviter_removed' : 'inviter_demoted' };
  for (const { id } of await withdrawInvitationsOf(tx, orgId, userId, lost)) {
    await recordAudit(tx, { orgId, actor, action: 'invitation.withdrawn', subjectId: id, facts });
  }
}

async function foundMember(tx: Queryable, orgId: string, memberId: string): Promise<Member> {
  const member = await readMember(tx, orgId, memberId);
  if (!member) throw new Refusal('member_not_found');
  return member;
}

function requireOwner(role: Role): void {
  if (role !== 'owner') throw new Refusal('role_missing', 'Only an owner can add, change or remove owners.');
}

async function requireAnotherOwner(tx: Queryable, orgId: string): Promise<void> {
  if ((await countMembers(tx, orgId, 'owner')) <= 1) throw new Refusal('last_owner');
}
