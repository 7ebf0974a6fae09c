import type { ChatMessage } from '../../contract/chat.ts';
import type { Client } from './client.ts';
import type { ConnectionState } from './connection.ts';
import { createHistory } from './history.ts';
import type { StateBox, Waiting } from './stored-state.ts';
import { createOutbox } from './outbox.ts';
import { createReadMark } from './read-mark.ts';
import { createUploads } from './uploads.ts';
import { createMessagePreview } from './message-preview.ts';

export type Shown = {
  messages: ChatMessage[];
  waiting: Waiting[];
  hasMore: boolean;
  loaded: boolean;
  typing: boolean;
  /** The unfinished text of the agent's next message. */
  words: string;
  unread: number;
  /** The last message that the visitor had read when the chat was opened. Null: the chat is closed. */
  readUntil: string | null;
  state: ConnectionState;
};

/**
 * Holds the messages that this page has read, and the messages that wait to be sent. A message gets an ID when the
 * visitor sends it. A message that is sent repeatedly, for example from two tabs, is stored once.
 */
export function createConversation(client: Client, stored: StateBox, onChange: (shown: Shown) => void) {
  const history = createHistory(client);
  const writing = createMessagePreview();
  let state: ConnectionState = 'idle';
  let looking: { readUntil: string | null } | null = null;
  const readMark = createReadMark(client, stored);
  const onSent = (message: ChatMessage, answering: boolean): void => {
    if (answering) setTimeout(change, writing.await());
    take([message]);
  };
  const outbox = createOutbox(client, stored, { onSent, onRefused: change });
  const uploads = createUploads(client, { onSent, onChange: change });

  function change(): void {
    const { queue, read = '' } = stored.read();
    const all = history.all();
    const known = new Set(all.map(({ client_id }) => client_id));
    onChange({
      messages: all,
      waiting: [...queue, ...uploads.waiting()].filter(({ client_id }) => !known.has(client_id)),
      ...history.reach(),
      ...writing.shown(),
      unread: looking ? 0 : all.filter(({ id, role }) => role !== 'end_user' && id > read).length,
      readUntil: looking?.readUntil ?? null,
      state,
    });
    const newest = all.findLast(({ role }) => role !== 'end_user');
    // A message counts as read only if the chat is open and its page is visible.
    if (looking && newest) readMark.note(newest.id);
  }

  function take(fresh: readonly ChatMessage[]): void {
    if (history.put(fresh).some(({ role }) => role !== 'end_user')) writing.end();
    if (fresh.length > 0) forgetSent(stored, fresh);
    change();
  }

  return {
    take: (fresh: readonly ChatMessage[]) => {
      if (fresh.some(({ role }) => role !== 'end_user')) writing.forget();
      take(fresh);
    },
    hear: (text: string, replaces: boolean) => {
      writing.hear(text, replaces);
      change();
    },
    change,
    setState: (now: ConnectionState) => {
      state = now;
      if (now !== 'online') writing.forget();
      change();
      if (now === 'online') void outbox.flush();
    },
    load: async () => take(await history.newest()),
    loadEarlier: async () => take(await history.earlier()),
    /** Returns false if too many messages are waiting. */
    say: (text: string): boolean => {
      if (!outbox.put(text)) return false;
      writing.stop();
      change();
      if (state !== 'offline') void outbox.flush();
      return true;
    },
    /** Returns false if the file is not accepted. */
    sendFile: uploads.put,
    rate: client.rate,
    sayAgain: (name: string) => {
      if (uploads.again(name)) return;
      outbox.putAgain(name);
      change();
      void outbox.flush();
    },
    look: (now: boolean) => {
      looking = now ? (looking ?? { readUntil: stored.read().read ?? null }) : null;
      change();
    },
    stop: () => {
      readMark.stop();
      outbox.stop();
    },
  };
}

/** Messages that the server has stored no longer wait. */
function forgetSent(stored: StateBox, fresh: readonly ChatMessage[]): void {
  const arrived = new Set(fresh.map(({ client_id }) => client_id));
  stored.change((now) => {
    now.queue = now.queue.filter(({ client_id }) => !arrived.has(client_id));
    now.talked = true;
  });
}
