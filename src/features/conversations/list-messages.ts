import type { ConversationMessage } from '../../../contract/dashboard/conversations.ts';
import { Refusal } from '../../../contract/problems.ts';
import { findConversation, listNewestMessages } from '../../store/conversations/read.ts';
import type { Db } from '../../store/db.ts';
import { type PageOf, pageOf, type PageRequest } from '../../store/page.ts';
import { readAnswerScores } from '../../store/ratings/columns.ts';
import { presentConversationMessage } from './read-conversations.ts';

/** Lists the messages of a conversation, newest first. With `before`, only messages before this message. */
export async function listMessages(
  { db }: { db: Db },
  orgId: string,
  id: string,
  before: string | undefined,
  { limit, after }: PageRequest,
): Promise<PageOf<ConversationMessage>> {
  if (!(await findConversation(db, orgId, id))) throw new Refusal('conversation_not_found');
  const [messages, scores] = await Promise.all([
    listNewestMessages(db, orgId, id, limit + 1, { before: after?.id ?? before }),
    readAnswerScores(db, orgId, id),
  ]);
  const { rows, hasMore } = pageOf(messages.toReversed(), limit);
  return { rows: rows.map((message) => presentConversationMessage(message, scores)), hasMore };
}
