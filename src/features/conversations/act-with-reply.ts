import { MAX_CONVERSATION_TAGS, type ReplyActions } from '../../../contract/dashboard/conversations.ts';
import { invalidAt } from '../../../contract/problems.ts';
import { mayAnswer, notAssignable } from '../../access/sessions/may-answer.ts';
import { findConversation } from '../../store/conversations/read.ts';
import { setTags } from '../../store/conversations/write.ts';
import type { Queryable } from '../../store/db.ts';
import { readRole } from '../../store/members/members.ts';
import { type Actor, recordAudit } from '../../store/organizations/audit.ts';
import { recordTags } from './record-tags.ts';
import { endConversation, giveToPeople } from './hand-over.ts';

/**
 * Adds tags, assigns and resolves in the transaction of the reply, so that either all of it happens or nothing. The
 * caller has locked the conversation. If the reply assigns, the caller has locked the members first.
 */
export async function actWithReply(
  tx: Queryable,
  orgId: string,
  id: string,
  { add_tags: added, assign_to: to, resolve }: ReplyActions,
  actor: Actor,
): Promise<void> {
  const { tags, runId } = (await findConversation(tx, orgId, id))!;
  const all = [...new Set([...tags, ...(added ?? [])])];
  if (all.length > MAX_CONVERSATION_TAGS)
    throw invalidAt('/actions/add_tags', 'not_allowed', `A conversation has at most ${MAX_CONVERSATION_TAGS} tags.`);
  if (all.length > tags.length) {
    await setTags(tx, orgId, id, all);
    await recordTags(tx, orgId, id, { before: tags, after: all }, actor);
  }
  if (to !== undefined) {
    const userId = to === 'me' ? actor.userId : to;
    if (!mayAnswer(await readRole(tx, orgId, userId))) throw notAssignable('/actions/assign_to');
    await giveToPeople(tx, orgId, { id, runId }, userId);
    await recordAudit(tx, { orgId, actor, action: 'conversation.assigned', subjectId: id, facts: { user_id: userId } });
  }
  if (resolve) await endConversation(tx, orgId, { id, runId }, actor);
}
