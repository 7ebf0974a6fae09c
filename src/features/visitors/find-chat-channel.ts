import type { ChatAppearance, WebChatSettings } from '../../../contract/chat.ts';
import { isId } from '../../../contract/ids.ts';
import { Refusal } from '../../../contract/problems.ts';
import type { Db } from '../../store/db.ts';
import { createBatcher } from '../../kernel/batcher.ts';
import { findInboundChannels, type InboundChannel } from '../../store/inbound/find-receiver.ts';

export type ChatChannel = InboundChannel & { chat: WebChatSettings };

const COLOR = '#0b7a75';

export async function findChatChannel({ db }: { db: Db }, id: string): Promise<ChatChannel> {
  const channel = isId('channel', id) ? (await findInboundChannels(db, [id]))[0] : undefined;
  if (channel?.kind !== 'web_chat') throw new Refusal('channel_not_found');
  return { ...channel, chat: channel.settings };
}

/** At most this many open streams of a node query the database at the same time. */
const MAX_READERS = 4_096;

/** Finds the web chat with this ID, or null. Simultaneous calls share a query. */
export function createChatChannelReader({ db }: { db: Db }): (id: string) => Promise<ChatChannel | null> {
  const reader = createBatcher<string, ChatChannel | null>({
    size: MAX_READERS,
    batchesAtOnce: 1,
    queue: MAX_READERS,
    full: () => new Refusal('unavailable'),
    send: async (ids) => {
      const found = await findInboundChannels(db, [...new Set(ids)]);
      const channels = new Map(found.map((one) => [one.id, { ...one, chat: one.settings }]));
      return ids.map((id) => channels.get(id) ?? null);
    },
  });
  return reader.add;
}

/** Presents public values, which anyone who loads the script can see. */
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
  thumbs: chat.thumbs !== false,
  translations: chat.translations ?? {},
});
