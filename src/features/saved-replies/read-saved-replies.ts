import type { SavedReplyRecord, SavedReplySummary } from '../../../contract/dashboard/saved-replies.ts';
import { Refusal } from '../../../contract/problems.ts';
import { timestamp } from '../../kernel/clock.ts';
import type { Db } from '../../store/db.ts';
import {
  listSavedReplies as listRows,
  readSavedReply as readRow,
  type SavedReplyRow,
} from '../../store/saved-replies.ts';

export const listSavedReplies = async ({ db }: { db: Db }, orgId: string): Promise<SavedReplySummary[]> =>
  (await listRows(db, orgId)).map(({ createdAt, updatedAt, ...row }) => ({
    ...row,
    created_at: timestamp(createdAt),
    updated_at: timestamp(updatedAt),
  }));

export async function readSavedReply({ db }: { db: Db }, orgId: string, id: string): Promise<SavedReplyRecord> {
  const row = await readRow(db, orgId, id);
  if (!row) throw new Refusal('saved_reply_not_found');
  return presentSavedReply(row);
}

export const presentSavedReply = ({ id, name, shortcut, text, actions, ...row }: SavedReplyRow): SavedReplyRecord => ({
  id,
  name,
  shortcut,
  text,
  actions,
  created_at: timestamp(row.createdAt),
  updated_at: timestamp(row.updatedAt),
});
