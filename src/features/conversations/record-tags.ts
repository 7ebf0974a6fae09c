import { newId } from '../../kernel/ids.ts';
import { insertTagNames } from '../../store/conversations/changes.ts';
import type { Queryable } from '../../store/db.ts';
import { type Actor, recordAudit } from '../../store/organizations/audit.ts';

/** Records which tags a member added and removed. The audit entry has only the number of tags. */
export async function recordTags(
  tx: Queryable,
  orgId: string,
  conversationId: string,
  { before, after }: Record<'before' | 'after', readonly string[]>,
  actor: Actor,
): Promise<void> {
  const id = newId('audit');
  const facts = { count: after.length };
  await recordAudit(tx, { id, orgId, actor, action: 'conversation.tagged', subjectId: conversationId, facts });
  const names = {
    added: after.filter((tag) => !before.includes(tag)),
    removed: before.filter((tag) => !after.includes(tag)),
  };
  await insertTagNames(tx, { orgId, conversationId, id, authorId: actor.userId }, names);
}
