import type { ConversationCounts } from '../../../contract/dashboard/conversations.ts';
import { timestamp } from '../../kernel/clock.ts';
import { countPending } from '../../store/approvals/read.ts';
import { readCounts } from '../../store/conversations/inbox.ts';
import type { Db } from '../../store/db.ts';

/** Counts the conversations that wait for members, as this member sees them. */
export async function countConversations(
  { db }: { db: Db },
  orgId: string,
  userId: string,
): Promise<ConversationCounts> {
  const [{ newestId, newestAt, ...counts }, approvals] = await Promise.all([
    readCounts(db, orgId, userId),
    countPending(db, orgId),
  ]);
  return {
    ...counts,
    newest: newestId === null || newestAt === null ? null : { id: newestId, handed_off_at: timestamp(newestAt) },
    approvals: approvals.count,
    newest_approval: approvals.newest && { ...approvals.newest, created_at: timestamp(approvals.newest.created_at) },
  };
}
