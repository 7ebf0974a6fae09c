import type { Db } from '../../store/db.ts';
import { applyReceipts, keepReceipts } from '../../store/deliveries/receipts.ts';
import { listUnread, type VisitorMessageRow, type VisitorPlace } from '../../store/visitors.ts';

/** Maximum messages that one "seen" covers; the next one covers the rest. */
const MAX_READ_AT_ONCE = 200;

/** Receipts of messages: on this channel only the widgets can report them. */
export function createNoteReceipts({ db }: { db: Db }) {
  async function note({ orgId, channelId }: VisitorPlace, ids: string[], status: 'delivered' | 'read'): Promise<void> {
    if (ids.length === 0) return;
    const receipts = ids.map((providerMessageId) => ({ providerMessageId, status, error: null }));
    await keepReceipts(db.$client, orgId, channelId, receipts);
    await applyReceipts(
      db.$client,
      ids.map((providerMessageId) => ({ orgId, providerMessageId })),
    );
  }

  return {
    /** A widget received these. No one waits for the write; a lost receipt is stored when the chat is opened again. */
    delivered: (place: VisitorPlace, messages: readonly VisitorMessageRow[]): void => {
      const ids = messages.flatMap(({ status, provider_message_id: id }) =>
        status === 'sent' && id !== null ? [id] : [],
      );
      note(place, ids, 'delivered').catch(() => {});
    },
    /** The visitor has seen everything up to a message. */
    read: async (place: VisitorPlace, upTo: string): Promise<void> => {
      await note(place, await listUnread(db.$client, place, upTo, MAX_READ_AT_ONCE), 'read');
    },
  };
}

export type NoteReceipts = ReturnType<typeof createNoteReceipts>;
