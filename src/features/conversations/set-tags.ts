import type { ConversationSummary } from '../../../contract/dashboard/conversations.ts';
import { Refusal } from '../../../contract/problems.ts';
import { setTags } from '../../store/conversations/write.ts';
import type { Db } from '../../store/db.ts';
import { type Actor, recordAudit } from '../../store/organizations/audit.ts';
import { summarizeConversation } from './read-conversations.ts';

/**
 * Replaces the stored tags of a conversation. A turn in progress, which may add tags, is computed again with the new
 * tags.
 */
export async function setConversationTags(
  { db }: { db: Db },
  orgId: string,
  id: string,
  tags: readonly string[],
  actor: Actor,
): Promise<ConversationSummary> {
  await db.transaction(async (tx) => {
    if (!(await setTags(tx, orgId, id, tags))) throw new Refusal('conversation_not_found');
    // A tag may contain personal data, and the activity list is not erased with the person, so the entry contains no
    // tag.
    const facts = { count: tags.length };
    await recordAudit(tx, { orgId, actor, action: 'conversation.tagged', subjectId: id, facts });
  });
  return summarizeConversation({ db }, orgId, id);
}
