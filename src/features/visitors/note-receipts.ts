import type { Db } from '../../store/db.ts';
import { applyReceipts, keepReceipts } from '../../store/deliveries/receipts.ts';
import { listUnread, type VisitorMessageRow, type VisitorPlace } from '../../store/visitors.ts';

/** Maximum number of messages that one "seen" covers. The next "seen" covers the other messages. */
const MAX_READ_AT_ONCE = 200;

/**
 * Stores that the widget received the given messages. No caller waits for the write. A lost receipt is stored when the
 * chat is opened again.
 */
export function noteDelivered({ db }: { db: Db }, place: VisitorPlace, messages: readonly VisitorMessageRow[]): void {
  const ids = messages.flatMap(({ status, provider_message_id: id }) => (status === 'sent' && id !== null ? [id] : []));
  note(db, place, ids, 'delivered').catch(() => {});
}

/** Stores that the visitor has seen all messages up to a given message. */
export async function noteRead({ db }: { db: Db }, place: VisitorPlace, upTo: string): Promise<void> {
  await note(db, place, await listUnread(db.$client, place, upTo, MAX_READ_AT_ONCE), 'read');
}

/** Only the widgets report receipts on this channel. */
async function note(
  db: Db,
  { orgId, channelId }: VisitorPlace,
  ids: string[],
  status: 'delivered' | 'read',
): Promise<void> {
  if (ids.length === 0) return;
  const receipts = ids.map((providerMessageId) => ({ providerMessageId, status, error: null }));
  await keepReceipts(db.$client, orgId, channelId, receipts);
  await applyReceipts(
    db.$client,
    ids.map((providerMessageId) => ({ orgId, providerMessageId })),
  );
}
