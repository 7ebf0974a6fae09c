import type { EndUser, EndUserConversation } from '../../../contract/end-users.ts';
import type { Message } from '../../../contract/messages.ts';
import { Refusal } from '../../../contract/problems.ts';
import { type EndUserFilter, listEndUsers as listRows } from '../../store/end-users/search.ts';
import { listMessages } from '../../store/end-users/list-messages.ts';
import {
  findEndUserConversation,
  listEndUserConversations,
  listIdentitiesOf,
  readEndUser as readRow,
} from '../../store/end-users/read.ts';
import type { PageOf, PageRequest } from '../../store/page.ts';
import { presentMessage } from '../../store/messages/present.ts';
import { presentEndUser, presentEndUserConversation } from './present-end-user.ts';
import type { EndUsersDeps } from './deps.ts';

type Reads = Pick<EndUsersDeps, 'db'>;

export async function listEndUsers(
  { db }: Reads,
  orgId: string,
  filter: EndUserFilter,
  page: PageRequest,
): Promise<PageOf<EndUser>> {
  const { rows, hasMore } = await listRows(db, orgId, filter, page);
  const identities = await listIdentitiesOf(
    db,
    orgId,
    rows.map((row) => row.id),
  );
  return { rows: rows.map((row) => presentEndUser(row, identities.get(row.id) ?? [])), hasMore };
}

export async function readEndUser({ db }: Reads, orgId: string, id: string): Promise<EndUser> {
  const row = await readRow(db, orgId, id);
  if (!row) throw new Refusal('end_user_not_found');
  const identities = await listIdentitiesOf(db, orgId, [id]);
  return presentEndUser(row, identities.get(id) ?? []);
}

export async function listConversationsOf(
  { db }: Reads,
  orgId: string,
  endUserId: string,
  page: PageRequest,
): Promise<PageOf<EndUserConversation>> {
  const { rows, hasMore } = await listEndUserConversations(db, orgId, endUserId, page);
  if (rows.length === 0 && !(await readRow(db, orgId, endUserId))) throw new Refusal('end_user_not_found');
  return { rows: rows.map(presentEndUserConversation), hasMore };
}

/** Lists end users, newest first. */
export async function listMessagesOf(
  { db }: Reads,
  orgId: string,
  { endUserId, conversationId }: { endUserId: string; conversationId: string },
  page: PageRequest,
): Promise<PageOf<Message>> {
  if (!(await findEndUserConversation(db, orgId, endUserId, conversationId))) {
    if (!(await readRow(db, orgId, endUserId))) throw new Refusal('end_user_not_found');
    throw new Refusal('conversation_not_found');
  }
  const { rows, hasMore } = await listMessages(db, orgId, conversationId, page);
  return { rows: rows.map(presentMessage), hasMore };
}
