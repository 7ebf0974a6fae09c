import type { ConversationRecord } from '../../../contract/dashboard/conversations.ts';
import { timestamp } from '../../kernel/clock.ts';
import { type ConversationRow, readLastInbound } from '../../store/conversations/read.ts';
import type { Queryable } from '../../store/db.ts';
import type { ConversationsDeps } from './deps.ts';

const HOUR_MS = 3_600_000;

/** Until when the channel takes words from a member; null: at any time. */
export async function readReplyWindow(
  db: Queryable,
  kinds: ConversationsDeps['kinds'],
  orgId: string,
  { id, channelKind }: Pick<ConversationRow, 'id' | 'channelKind'>,
): Promise<ConversationRecord['reply_window']> {
  const hours = kinds.get(channelKind)?.capabilities.reply_window_hours ?? null;
  if (hours === null) return null;
  const wrote = await readLastInbound(db, orgId, id);
  return { until: wrote === null ? null : timestamp(new Date(wrote).getTime() + hours * HOUR_MS) };
}

export const isOpen = (window: ConversationRecord['reply_window']): boolean =>
  window === null || (window.until !== null && Date.parse(window.until) > Date.now());
