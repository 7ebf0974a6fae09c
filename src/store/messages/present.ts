import type { Message } from '../../../contract/messages.ts';
import { timestamp } from '../../kernel/clock.ts';
import type { MessageRow } from '../runs/read.ts';

/** The public format of a message. Triggers, conversations and channels return messages only in this format. */
export const presentMessage = (row: MessageRow): Message => ({
  id: row.id,
  role: row.role as Message['role'],
  content: row.content,
  sources: row.sources,
  created_at: timestamp(row.createdAt),
});
