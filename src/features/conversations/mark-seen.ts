import { Refusal } from '../../../contract/problems.ts';
import { writeSeen } from '../../store/conversations/inbox.ts';
import type { Db } from '../../store/db.ts';

/** Marks all current messages as seen by this member. */
export async function markConversationSeen(
  { db }: { db: Db },
  orgId: string,
  id: string,
  userId: string,
): Promise<void> {
  if (!(await writeSeen(db, orgId, id, userId))) throw new Refusal('conversation_not_found');
}
