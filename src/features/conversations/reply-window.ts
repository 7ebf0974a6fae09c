import type { ConversationRecord } from '../../../contract/dashboard/conversations.ts';
import type { ChannelKind } from '../../channels/channel.ts';
import { timestamp } from '../../kernel/clock.ts';
import { isInWindow, windowEnd } from '../../kernel/reply-window.ts';
import { readLastInbound } from '../../store/conversations/read.ts';
import type { Queryable } from '../../store/db.ts';

const hoursOf = (kind: ChannelKind | undefined): number | null => kind?.capabilities.reply_window_hours ?? null;

/** Returns the time until which members may send free messages on the channel. Null: members may send at any time. */
export async function readReplyWindow(
  db: Queryable,
  kind: ChannelKind | undefined,
  orgId: string,
  conversationId: string,
): Promise<ConversationRecord['reply_window']> {
  const hours = hoursOf(kind);
  if (hours === null) return null;
  const end = windowEnd(hours, await readLastInbound(db, orgId, conversationId));
  return { until: end && timestamp(end) };
}

export async function acceptsText(
  db: Queryable,
  kind: ChannelKind | undefined,
  orgId: string,
  conversationId: string,
): Promise<boolean> {
  const hours = hoursOf(kind);
  return hours === null || isInWindow(hours, await readLastInbound(db, orgId, conversationId), Date.now());
}
