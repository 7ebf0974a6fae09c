/**
 * The stored state consists of the visitor's token, the waiting messages, and the last read message, and survives a
 * reload. Every change reads the storage first, because another tab may have changed it. If the storage is blocked or
 * full, the state lasts only as long as the page.
 */
export type Waiting = {
  client_id: string;
  text: string;
  at: number;
  failed?: true;
  /** The part of a file that was sent, from 0 to 1. */
  sent?: number;
};
export type StoredState = {
  token?: string;
  /** The expiry of the token, and the time from which it should be renewed. */
  until?: number;
  renew?: number;
  queue: Waiting[];
  /** The newest message that the visitor has seen. */
  read?: string;
  /** True: the visitor has a conversation to return to. */
  talked?: true;
};

/** At most this many messages may wait, and the widget refuses more. */
export const MAX_WAITING = 50;

/**
 * Each waiting message has its own storage key. With one key, two tabs that write at the same moment would delete each
 * other's messages.
 */
export function openKept(name: string, onElsewhere: () => void) {
  const prefix = `${name}:`;
  let memory: StoredState = { queue: [] };
  /** True: the storage is full, so its content is older than the state of this page. */
  let isFull = false;
  /** True: the state belongs to a person who is no longer shown. A late response must not change the stored state. */
  let isClosed = false;
  /** The message at this key. Null: the key belongs to another person, whose ID begins like the ID of this person. */
  const waitingAt = (key: string): Waiting | null => {
    if (!key.startsWith(prefix)) return null;
    const one = JSON.parse(localStorage.getItem(key) ?? 'null') as Waiting | null;
    return one?.client_id === key.slice(prefix.length) ? one : null;
  };
  const places = (): string[] => Object.keys(localStorage).filter((key) => waitingAt(key) !== null);
  const read = (): StoredState => {
    if (isFull || isClosed) return memory;
    try {
      const stored = JSON.parse(localStorage.getItem(name) ?? '{}') as StoredState;
      stored.queue = Object.keys(localStorage)
        .map(waitingAt)
        .filter((one) => one !== null)
        .sort((a, b) => a.at - b.at || (a.client_id < b.client_id ? -1 : 1));
      memory = stored;
    } catch {
      // The storage is not readable, so the state of this page is used.
    }
    return memory;
  };
  const change = (how: (state: StoredState) => void): void => {
    const state = read();
    const before = new Map(state.queue.map((one) => [one.client_id, JSON.stringify(one)]));
    how(state);
    memory = state;
    if (isClosed) return;
    const { queue, ...rest } = state;
    try {
      localStorage.setItem(name, JSON.stringify(rest));
      for (const one of queue) {
        const text = JSON.stringify(one);
        if (before.get(one.client_id) !== text) localStorage.setItem(prefix + one.client_id, text);
        before.delete(one.client_id);
      }
      for (const gone of before.keys()) localStorage.removeItem(prefix + gone);
    } catch {
      // The storage is not writable, so the state lasts as long as the page.
      isFull = true;
    }
  };
  const listen = (event: StorageEvent): void => {
    if (event.key === name || event.key?.startsWith(prefix)) onElsewhere();
  };
  addEventListener('storage', listen);
  return {
    read,
    change,
    forget: () => {
      isFull = false;
      memory = { queue: [] };
      try {
        for (const key of [name, ...places()]) localStorage.removeItem(key);
      } catch {
        // Nothing was stored.
      }
    },
    close: () => {
      isClosed = true;
      removeEventListener('storage', listen);
    },
  };
}

export type StateBox = ReturnType<typeof openKept>;
