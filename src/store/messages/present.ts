import type { Message } from '../../../contract/messages.ts';
import { timestamp } from '../../kernel/clock.ts';
import type { MessageRow } from '../runs/read.ts';

/** The public format of a message: the only output of the table for triggers, conversations and channels. */
export const presentMessage = (row: MessageRow): Message => ({
  id: row.id,
  role: row.role as Message['role'],
  content: row.content,
  sources: row.sources,
  created_at: timestamp(row.createdAt),
});
