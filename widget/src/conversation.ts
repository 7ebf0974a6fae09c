import type { ChatMessage } from '../../contract/chat.ts';
import { CallError, type Client } from './client.ts';
import type { ConnectionState } from './connection.ts';
import { type KeptBox, MAX_WAITING, type Waiting } from './kept.ts';

export type Shown = {
  messages: ChatMessage[];
  waiting: Waiting[];
  hasMore: boolean;
  loaded: boolean;
  typing: boolean;
  unread: number;
  state: ConnectionState;
};

/** Longer than agents usually think; people who took over do not write at once. */
const TYPING_MS = 30_000;
const READ_AFTER_MS = 400;

/**
 * What was said, as far as this page knows, and what waits to be sent. A message has a name from the moment it is typed:
 * sent again after a lost answer, from two tabs, or days later, it is said once.
 */
export function createConversation(client: Client, kept: KeptBox, onChange: (shown: Shown) => void) {
  const messages = new Map<string, ChatMessage>();
  let hasMore = false;
  let loaded = false;
  let typingUntil = 0;
  let state: ConnectionState = 'idle';
  let sending = false;
  let isLooking = false;
  let readTimer: ReturnType<typeof setTimeout> | undefined;
  let retry: ReturnType<typeof setTimeout> | undefined;

  const sorted = (): ChatMessage[] => [...messages.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  const newestOfOthers = (): string | undefined => sorted().findLast(({ role }) => role !== 'end_user')?.id;

  function change(): void {
    const { queue, read = '' } = kept.read();
    const all = sorted();
    const said = new Set(all.map(({ client_id }) => client_id));
    onChange({
      messages: all,
      waiting: queue.filter(({ client_id }) => !said.has(client_id)),
      hasMore,
      loaded,
      typing: typingUntil > Date.now(),
      unread: isLooking ? 0 : all.filter(({ id, role }) => role !== 'end_user' && id > read).length,
      state,
    });
    noteRead();
  }

  function take(fresh: readonly ChatMessage[]): void {
    for (const message of fresh) {
      if (!messages.has(message.id) && message.role !== 'end_user') typingUntil = 0;
      messages.set(message.id, message);
    }
    const said = new Set(fresh.map(({ client_id }) => client_id));
    if (fresh.length > 0) {
      kept.change((now) => {
        now.queue = now.queue.filter(({ client_id }) => !said.has(client_id));
        now.talked = true;
      });
    }
    change();
  }

  /** Only what a person can have seen counts as read: the chat is open, and its page is in front. */
  function noteRead(): void {
    const newest = newestOfOthers();
    if (!isLooking || newest === undefined || newest <= (kept.read().read ?? '')) return;
    kept.change((now) => {
      now.read = newest;
    });
    // Several at once are told once.
    clearTimeout(readTimer);
    readTimer = setTimeout(() => {
      client.markRead(newest).catch(() => {});
    }, READ_AFTER_MS);
  }

  /** One at a time, in their order. Whatever cannot be sent now stays where it is. */
  async function flush(): Promise<void> {
    if (sending) return;
    sending = true;
    clearTimeout(retry);
    try {
      for (;;) {
        const next = kept.read().queue.find(({ failed }) => !failed);
        if (!next) break;
        const { message, answering } = await client.say(next);
        if (answering) {
          typingUntil = Date.now() + TYPING_MS;
          setTimeout(change, TYPING_MS + 50);
        }
        // Those that gave up on this name are the same words.
        kept.change((now) => {
          now.queue = now.queue.filter(({ client_id }) => client_id !== next.client_id);
        });
        take([message]);
      }
    } catch (error) {
      refused(error);
    } finally {
      sending = false;
    }
  }

  function refused(error: unknown): void {
    const { status, waitMs } = error instanceof CallError ? error : new CallError(0);
    const isFinal = [400, 413, 415, 422].includes(status);
    if (isFinal) {
      kept.change((now) => {
        const first = now.queue.find(({ failed }) => !failed);
        if (first) first.failed = true;
      });
    }
    change();
    // Without a connection it goes on when there is one; else after a while.
    retry = setTimeout(() => void flush(), isFinal ? 0 : Math.max(waitMs, 5_000));
  }

  return {
    take,
    change,
    flush,
    setState: (now: ConnectionState) => {
      state = now;
      change();
      if (now === 'online') void flush();
    },
    load: async () => {
      const page = await client.history();
      if (!loaded || messages.size === 0) hasMore = page.has_more;
      loaded = true;
      take(page.data);
    },
    loadEarlier: async () => {
      const first = sorted()[0];
      if (!first) return;
      const page = await client.history(first.id);
      hasMore = page.has_more;
      take(page.data);
    },
    /** False: too much is waiting already. */
    say: (text: string): boolean => {
      if (kept.read().queue.length >= MAX_WAITING) return false;
      kept.change((now) => now.queue.push({ client_id: newName(), text, at: Date.now() }));
      change();
      if (state !== 'offline') void flush();
      return true;
    },
    sayAgain: (name: string) => {
      kept.change((now) => {
        for (const one of now.queue) if (one.client_id === name) delete one.failed;
      });
      change();
      void flush();
    },
    look: (now: boolean) => {
      isLooking = now;
      change();
    },
    stop: () => {
      clearTimeout(readTimer);
      clearTimeout(retry);
    },
  };
}

/** A random UUID; `crypto.randomUUID` is there on https only. */
function newName(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
