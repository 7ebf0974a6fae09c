import type { ConversationSummary } from '../../../contract/dashboard/conversations.ts';
import { invalidAt, Refusal } from '../../../contract/problems.ts';
import { lockConversation, updateConversation } from '../../store/conversations/write.ts';
import type { Db } from '../../store/db.ts';
import { type Actor, recordAudit } from '../../store/organizations/audit.ts';
import { summarizeConversation } from './read-conversations.ts';

const MAX_DAYS = 365;

/**
 * Hides a conversation that the team answers until a given time. The conversation returns at that time, or earlier: as
 * soon as the person writes, or a member changes it.
 */
export async function snoozeConversation(
  { db, now }: { db: Db; now(): number },
  orgId: string,
  id: string,
  until: string | null,
  actor: Actor,
): Promise<ConversationSummary> {
  const snoozedUntil = until === null ? null : new Date(until);
  if (snoozedUntil) checkTime(snoozedUntil.getTime(), now());
  await db.transaction(async (tx) => {
    const conversation = await lockConversation(tx, orgId, id);
    if (!conversation) throw new Refusal('conversation_not_found');
    if (conversation.status !== 'handed_off') {
      if (snoozedUntil === null) return;
      throw invalidAt(
        '',
        'not_allowed',
        'Only a conversation that people answer can be snoozed. Take the conversation over first.',
      );
    }
    await updateConversation(tx, orgId, id, { ...(snoozedUntil && { snoozedUntil }) });
    await recordAudit(tx, { orgId, actor, action: 'conversation.snoozed', subjectId: id, facts: { until } });
  });
  return summarizeConversation({ db }, orgId, id);
}

function checkTime(until: number, now: number): void {
  if (until <= now) throw invalidAt('/until', 'not_allowed', 'The time is in the past.');
  if (until > now + MAX_DAYS * 86_400_000)
    throw invalidAt('/until', 'not_allowed', `At most ${MAX_DAYS} days from now.`);
}
