import type { InvitationRecord, MemberRecord } from '../../../contract/dashboard/organizations.ts';
import type { Role } from '../../../contract/permissions.ts';
import { isAtLeast } from '../../access/sessions/session-gate.ts';
import { timestamp } from '../../kernel/clock.ts';
import { type Member, listMembers as listAll } from '../../store/members/members.ts';
import { type Invitation, listInvitations as listOpen } from '../../store/members/invitations.ts';
import type { ActingMember, MembersDeps } from './deps.ts';
import { invitableBy } from './invite-rights.ts';

export const listMembers = async (
  { db }: Pick<MembersDeps, 'db'>,
  orgId: string,
  { role }: ActingMember,
): Promise<MemberRecord[]> => (await listAll(db, orgId)).map((row) => presentMember(row, role));

/** Lists the invitations that the reader could have created, without their links. */
export const listInvitations = async (
  { db }: Pick<MembersDeps, 'db'>,
  orgId: string,
  { role }: ActingMember,
): Promise<InvitationRecord[]> => (await listOpen(db, orgId, invitableBy(role))).map(presentInvitation);

/** Only owners and admins see who has a second factor, because an attacker could use this to choose an account. */
export const presentMember = (row: Member, reader: Role): MemberRecord => ({
  id: row.id,
  user_id: row.userId,
  name: row.name,
  email: row.email,
  role: row.role,
  second_factor: isAtLeast(reader, 'admin') ? row.secondFactor : null,
  away: row.away,
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
