import type { MemberRecord } from '../../../contract/dashboard/organizations.ts';
import { Refusal } from '../../../contract/problems.ts';
import type { Role } from '../../../contract/permissions.ts';
import { type Actor, recordAudit } from '../../store/audit.ts';
import type { Queryable } from '../../store/db.ts';
import {
  countMembers,
  deleteMember,
  lockMembers,
  type Member,
  readMember,
  setMemberRole as writeRole,
} from '../../store/members.ts';
import type { MembersDeps } from './members.ts';
import { presentMember } from './read-members.ts';

/** Who acts, as the gate found it in the database. */
export type ActingMember = { userId: string; role: Role };

/** Owners are made and changed by owners alone, and one always remains. */
export async function setMemberRole(
  { db }: Pick<MembersDeps, 'db'>,
  orgId: string,
  memberId: string,
  role: Role,
  acting: ActingMember,
  actor: Actor,
): Promise<MemberRecord> {
  return db.transaction(async (tx) => {
    const member = await lockedMember(tx, orgId, memberId);
    if (member.role === role) return presentMember(member);
    if (member.role === 'owner' || role === 'owner') requireOwner(acting);
    if (member.role === 'owner') await requireAnotherOwner(tx, orgId);
    await writeRole(tx, orgId, memberId, role);
    await recordAudit(tx, {
      orgId,
      actor,
      action: 'member.role_set',
      subjectId: memberId,
      facts: { user_id: member.userId, from: member.role, to: role },
    });
    return presentMember({ ...member, role });
  });
}

/** Everybody may leave; admins remove members and viewers, owners remove everybody. */
export async function removeMember(
  { db }: Pick<MembersDeps, 'db'>,
  orgId: string,
  memberId: string,
  acting: ActingMember,
  actor: Actor,
): Promise<void> {
  await db.transaction(async (tx) => {
    const member = await lockedMember(tx, orgId, memberId);
    if (member.userId !== acting.userId) {
      if (member.role === 'owner') requireOwner(acting);
      else if (acting.role !== 'owner' && acting.role !== 'admin') {
        throw new Refusal('role_missing', 'Removing others needs the role admin; you may remove yourself.');
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
  });
}

async function lockedMember(tx: Queryable, orgId: string, memberId: string): Promise<Member> {
  await lockMembers(tx, orgId);
  const member = await readMember(tx, orgId, memberId);
  if (!member) throw new Refusal('member_not_found');
  return member;
}

function requireOwner(acting: ActingMember): void {
  if (acting.role !== 'owner') throw new Refusal('role_missing', 'Only an owner makes, changes or removes owners.');
}

async function requireAnotherOwner(tx: Queryable, orgId: string): Promise<void> {
  if ((await countMembers(tx, orgId, 'owner')) <= 1) throw new Refusal('last_owner');
}
