import type { PresenceBody, PresentMember } from '../../../contract/dashboard/conversations.ts';
import type { Role } from '../../../contract/permissions.ts';
import { Refusal } from '../../../contract/problems.ts';
import { mayAnswer } from '../../access/sessions/may-answer.ts';
import { deletePresence, readPresence, writePresence } from '../../store/conversations/presence.ts';
import { findConversation } from '../../store/conversations/read.ts';
import type { Db } from '../../store/db.ts';

/**
 * Records that the member has a conversation open. A viewer cannot answer, so a viewer is never shown as typing. One
 * row represents all windows of a person. If one window closes, the row is missing until another window reports again.
 */
export async function setPresence(
  { db }: { db: Db },
  orgId: string,
  id: string,
  { presence, draft }: PresenceBody,
  { userId, role }: { userId: string; role: Role },
): Promise<void> {
  if (presence === 'gone') {
    if (!(await findConversation(db, orgId, id))) throw new Refusal('conversation_not_found');
    return deletePresence(db, orgId, id, userId);
  }
  const reported = presence === 'typing' && !mayAnswer(role) ? 'here' : presence;
  const shared = reported === 'typing' && draft ? draft : null;
  if (!(await writePresence(db, orgId, id, userId, reported, shared))) throw new Refusal('conversation_not_found');
}

/** Lists the other members who have the conversation open. */
export async function listPresence(
  { db }: { db: Db },
  orgId: string,
  id: string,
  userId: string,
): Promise<PresentMember[]> {
  if (!(await findConversation(db, orgId, id))) throw new Refusal('conversation_not_found');
  return readPresence(db, orgId, id, userId);
}
