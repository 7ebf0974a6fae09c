import { recordRefusedOrigin } from '../../store/channels/refused-origins.ts';
import type { Db } from '../../store/db.ts';
import type { ChatChannel } from './find-chat-channel.ts';

/** How often one origin of a channel is recorded, and the time for which the bounds below apply. */
const PERIOD_MS = 60_000;
/** Maximum writes of a channel and of this process in one period: refused calls need no token. */
const MAX_OF_CHANNEL = 5;
const MAX_WRITES = 500;

export type NoteRefusedOrigin = (channel: Pick<ChatChannel, 'id' | 'orgId'>, origin: string | undefined) => void;

/**
 * Records that a page of a site that is not on the list tried to open the chat, for the owner of the channel. No one
 * waits for the write.
 */
export function createRefusedOrigins({ db }: { db: Db }, now: () => number = Date.now): NoteRefusedOrigin {
  let period = 0;
  let writes = 0;
  const noted = new Map<string, Set<string>>();
  return ({ id, orgId }, origin) => {
    if (!isSite(origin)) return;
    const current = Math.floor(now() / PERIOD_MS);
    if (current !== period) {
      period = current;
      writes = 0;
      noted.clear();
    }
    const origins = noted.get(id) ?? new Set();
    if (origins.has(origin) || origins.size >= MAX_OF_CHANNEL || writes >= MAX_WRITES) return;
    writes++;
    noted.set(id, origins.add(origin));
    recordRefusedOrigin(db, orgId, id, origin).catch(() => {});
  };
}

/** An origin that the list of a channel may contain: `null` of a sandboxed frame, for example, is none. */
const isSite = (origin: string | undefined): origin is string =>
  origin !== undefined && origin.length <= 255 && /^https?:\/\//.test(origin) && URL.parse(origin)?.origin === origin;
