import { recordChatSite } from '../../store/channels/chat-sites.ts';
import type { Db } from '../../store/db.ts';
import type { ChatChannel } from './find-chat-channel.ts';

/** One origin of a channel is recorded once in this period, and the bounds below apply to this period. */
const PERIOD_MS = 60_000;
/** One period has at most this many writes of a channel and of this process, because refused calls need no token. */
const MAX_OF_CHANNEL = 5;
const MAX_WRITES = 500;

export type NoteChatSite = (
  channel: Pick<ChatChannel, 'id' | 'orgId'>,
  origin: string | undefined,
  isReached: boolean,
) => void;

/**
 * Records for the owner of a channel that a page of a site opened the chat, or tried to although the site is not on the
 * list. The caller does not wait for the write.
 */
export function createChatSites({ db }: { db: Db }, now: () => number = Date.now): NoteChatSite {
  let period = 0;
  let writes = 0;
  const noted = new Map<string, Set<string>>();
  return ({ id, orgId }, origin, isReached) => {
    if (!isSite(origin)) return;
    const current = Math.floor(now() / PERIOD_MS);
    if (current !== period) {
      period = current;
      writes = 0;
      noted.clear();
    }
    const name = `${id} ${isReached}`;
    const origins = noted.get(name) ?? new Set();
    if (origins.has(origin) || origins.size >= MAX_OF_CHANNEL || writes >= MAX_WRITES) return;
    writes++;
    noted.set(name, origins.add(origin));
    recordChatSite(db, orgId, id, { origin, isReached }).catch(() => {});
  };
}

/**
 * True if the list of a channel may contain the origin. For example, `null`, the origin of a sandboxed frame, is
 * excluded.
 */
const isSite = (origin: string | undefined): origin is string =>
  origin !== undefined && origin.length <= 255 && /^https?:\/\//.test(origin) && URL.parse(origin)?.origin === origin;
