import type { Message } from '../../../contract/messages.ts';
import { Refusal } from '../../../contract/problems.ts';
import { listMessages } from '../../store/end-users/list-messages.ts';
import { presentMessage } from '../../store/messages/present.ts';
import type { PageOf, PageRequest } from '../../store/page.ts';
import { isConversationOfTrigger } from '../../store/runs/read.ts';
import type { TriggersDeps } from './deps.ts';

/** Lists messages, newest first. A client token does not see internal messages. */
export async function listConversationMessages(
  { db }: Pick<TriggersDeps, 'db'>,
  orgId: string,
  meant: { triggerId: string; conversationId: string; clientMark: string | undefined },
  page: PageRequest,
): Promise<PageOf<Message>> {
  if (!(await isConversationOfTrigger(db, orgId, meant))) throw new Refusal('conversation_not_found');
  const { rows, hasMore } = await listMessages(db, orgId, meant.conversationId, page, meant.clientMark !== undefined);
  return { rows: rows.map(presentMessage), hasMore };
}
