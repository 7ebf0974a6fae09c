import type { ConversationSummary } from '../../../contract/dashboard/conversations.ts';
import { Refusal } from '../../../contract/problems.ts';
import { findConversation } from '../../store/conversations/read.ts';
import { lockConversation, setTags } from '../../store/conversations/write.ts';
import type { Db } from '../../store/db.ts';
import type { Actor } from '../../store/organizations/audit.ts';
import { recordTags } from './record-tags.ts';
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
    if (!(await lockConversation(tx, orgId, id))) throw new Refusal('conversation_not_found');
    const { tags: before } = (await findConversation(tx, orgId, id))!;
    await setTags(tx, orgId, id, tags);
    await recordTags(tx, orgId, id, { before, after: tags }, actor);
  });
  return summarizeConversation({ db }, orgId, id);
}
