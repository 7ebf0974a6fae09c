import type { ChatAppearance, WebChatSettings } from '../../../contract/chat.ts';
import { isId } from '../../../contract/ids.ts';
import { Refusal } from '../../../contract/problems.ts';
import type { Db } from '../../store/db.ts';
import { findInboundChannel, type InboundChannel } from '../../store/inbound/place.ts';

export type ChatChannel = InboundChannel & { chat: WebChatSettings };

const COLOR = '#0b7a75';

/** The web chat with this id; null for other kinds of channel. */
export async function findChatChannel({ db }: { db: Db }, id: string): Promise<ChatChannel> {
  const channel = isId('channel', id) ? await findInboundChannel(db, id) : null;
  if (!channel || channel.kind !== 'web_chat') throw new Refusal('channel_not_found');
  return { ...channel, chat: channel.settings };
}

/** Public values, visible to anyone who loads the script. */
export const presentAppearance = ({ id, enabled, chat }: ChatChannel): ChatAppearance => ({
  channel_id: id,
  enabled,
  title: chat.title ?? '',
  greeting: chat.greeting ?? '',
  suggestions: chat.suggestions ?? [],
  color: chat.color ?? COLOR,
  avatar: chat.avatar ?? '',
  position: chat.position ?? 'end',
  files: chat.files !== false,
  translations: chat.translations ?? {},
});
