import type { ConversationSummary } from '../../../contract/dashboard/conversations.ts';
import { Refusal } from '../../../contract/problems.ts';
import { mayAnswer, notAssignable } from '../../access/sessions/may-answer.ts';
import { lockConversation, updateConversation } from '../../store/conversations/write.ts';
import type { Db } from '../../store/db.ts';
import { lockMembers, readRole } from '../../store/members/members.ts';
import { type Actor, recordAudit } from '../../store/organizations/audit.ts';
import { giveToPeople, lockToTake } from './hand-over.ts';
import { summarizeConversation } from './read-conversations.ts';

/**
 * Assigns a conversation to the member who answers it. After the assignment, the agent does not answer, as after a
 * take-over. Without a member, the team still answers the conversation, and everyone sees that it has no assignee.
 */
export async function assignConversation(
  { db }: { db: Db },
  orgId: string,
  id: string,
  userId: string | null,
  actor: Actor,
): Promise<ConversationSummary> {
  await db.transaction(async (tx) => {
    // A removal of the member, which also ends the member's assignments, does not run at the same time.
    if (userId !== null) await lockMembers(tx, orgId);
    const conversation = userId === null ? await lockConversation(tx, orgId, id) : await lockToTake(tx, orgId, id);
    if (!conversation) throw new Refusal('conversation_not_found');
    if (userId === null) {
      if (conversation.status !== 'handed_off') return;
      await updateConversation(tx, orgId, id, { assigneeId: null });
    } else {
      const role = await readRole(tx, orgId, userId);
      if (!mayAnswer(role)) throw notAssignable('/user_id');
      await giveToPeople(tx, orgId, { id, runId: conversation.runId }, userId);
    }
    await recordAudit(tx, { orgId, actor, action: 'conversation.assigned', subjectId: id, facts: { user_id: userId } });
  });
  return summarizeConversation({ db }, orgId, id);
}
