import type { InvitationRecord, MemberRecord } from '../../../contract/dashboard/organizations.ts';
import { invitationUrl } from '../../access/sessions/invitation-link.ts';
import { timestamp } from '../../kernel/clock.ts';
import {
  type Invitation,
  listInvitations as listOpen,
  listMembers as listAll,
  type Member,
} from '../../store/members.ts';
import type { MembersDeps } from './members.ts';

export const listMembers = async ({ db }: Pick<MembersDeps, 'db'>, orgId: string): Promise<MemberRecord[]> =>
  (await listAll(db, orgId)).map(presentMember);

export const listInvitations = async (deps: MembersDeps, orgId: string): Promise<InvitationRecord[]> =>
  (await listOpen(deps.db, orgId)).map((row) => presentInvitation(deps, row));

export const presentMember = (row: Member): MemberRecord => ({
  id: row.id,
  user_id: row.userId,
  name: row.name,
  email: row.email,
  role: row.role,
  created_at: timestamp(row.createdAt),
});

export const presentInvitation = (
  { baseUrl, setupKey }: Pick<MembersDeps, 'baseUrl' | 'setupKey'>,
  row: Invitation,
): InvitationRecord => ({
  id: row.id,
  email: row.email,
  role: row.role,
  url: invitationUrl(baseUrl, setupKey, row.id),
  created_at: timestamp(row.createdAt),
  expires_at: timestamp(row.expiresAt),
});
