import { CHAT_PAGE, type ChatMessage, type ChatMessages } from '../../../contract/chat.ts';
import { timestamp } from '../../kernel/clock.ts';
import { listVisitorMessages, type VisitorMessageRow, type VisitorPlace } from '../../store/visitors.ts';
import { noteDelivered } from './note-receipts.ts';
import type { VisitorsDeps } from './deps.ts';

/**
 * Reads one page of messages. The newest page comes first, and the messages of each page are in order. A message that
 * is read counts as delivered.
 */
export async function readMessages(
  { db }: Pick<VisitorsDeps, 'db'>,
  place: VisitorPlace,
  before: string | null,
): Promise<ChatMessages> {
  const rows = await listVisitorMessages(db.$client, place, { before, limit: CHAT_PAGE + 1 });
  const page = rows.slice(0, CHAT_PAGE).toReversed();
  noteDelivered({ db }, place, page);
  return { data: page.map(presentVisitorMessage), has_more: rows.length > CHAT_PAGE };
}

export const presentVisitorMessage = (row: VisitorMessageRow): ChatMessage => ({
  id: row.id,
  role: row.role,
  content: row.content,
  sources: row.sources,
  client_id: row.role === 'end_user' ? clientIdOf(row.provider_message_id) : null,
  author: row.author,
  rating: row.rating,
  created_at: timestamp(row.created_at),
});

/** The ID has the form `<address>:<client id>`, because a widget's ID of a message is unique only for its visitor. */
const clientIdOf = (providerId: string | null): string | null => providerId?.split(':')[1] ?? null;
