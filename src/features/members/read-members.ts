import type { InvitationRecord, MemberRecord } from '../../../contract/dashboard/organizations.ts';
import { timestamp } from '../../kernel/clock.ts';
import { type Member, listMembers as listAll } from '../../store/members/members.ts';
import { type Invitation, listInvitations as listOpen } from '../../store/members/invitations.ts';
import type { ActingMember } from './change-members.ts';
import { invitableBy } from './invite-rights.ts';
import type { MembersDeps } from './deps.ts';

export const listMembers = async ({ db }: Pick<MembersDeps, 'db'>, orgId: string): Promise<MemberRecord[]> =>
  (await listAll(db, orgId)).map(presentMember);

/** The invitations that the reader could have made, without their links. */
export const listInvitations = async (
  { db }: Pick<MembersDeps, 'db'>,
  orgId: string,
  { role }: ActingMember,
): Promise<InvitationRecord[]> => (await listOpen(db, orgId, invitableBy(role))).map(presentInvitation);

export const presentMember = (row: Member): MemberRecord => ({
  id: row.id,
  user_id: row.userId,
  name: row.name,
  email: row.email,
  role: row.role,
  created_at: timestamp(row.createdAt),
});

export const presentInvitation = (row: Invitation): InvitationRecord => ({
  id: row.id,
  email: row.email,
  role: row.role,
  mailed: row.mailed,
  created_at: timestamp(row.createdAt),
  expires_at: timestamp(row.expiresAt),
});
