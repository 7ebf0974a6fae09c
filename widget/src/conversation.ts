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
  let isStopped = false;
  const readMark = createReadMark(client, stored);
  const onSent = (message: ChatMessage, answering: boolean): void => {
    if (answering) setTimeout(change, writing.await());
    take([message]);
  };
  const outbox = createOutbox(client, stored, { onSent, onRefused: change });
  const uploads = createUploads(client, { onSent, onChange: change });

  function change(): void {
    // A call that was in progress at the sign-out must not show the messages of the earlier person.
    if (isStopped) return;
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
    const newest = all.findLast(isAnswer);
    // A message counts as read only if the chat is open and its page is visible.
    if (looking && newest) readMark.note(newest.id);
  }

  function take(fresh: readonly ChatMessage[], isPreviewOver = false): void {
    if (isPreviewOver) writing.forget();
    if (history.put(fresh).some(isAnswer)) writing.end();
    if (fresh.length > 0) forgetSent(stored, fresh);
    change();
  }

  return {
    take: (fresh: readonly ChatMessage[]) => take(fresh, fresh.some(isAnswer)),
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
    // The text of the earlier stream may now be a stored message. A new stream sends the unfinished text again.
    load: async () => take(await history.newest(), true),
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
      isStopped = true;
      readMark.stop();
      outbox.stop();
    },
  };
}

const isAnswer = ({ role }: ChatMessage): boolean => role !== 'end_user';

/** Messages that the server has stored no longer wait. */
function forgetSent(stored: StateBox, fresh: readonly ChatMessage[]): void {
  const arrived = new Set(fresh.map(({ client_id }) => client_id));
  stored.change((now) => {
    now.queue = now.queue.filter(({ client_id }) => !arrived.has(client_id));
    now.talked = true;
  });
}
