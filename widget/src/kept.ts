/**
 * What outlives a page: the visitor's token, what waits to be sent, how far was read. Every change reads first, because
 * another tab may have written in between. Without storage (blocked, full) it lasts as long as the page.
 */
export type Waiting = { client_id: string; text: string; at: number; failed?: true };
export type Kept = {
  token?: string;
  /** When the token runs out, and from when on it is worth renewing. */
  until?: number;
  renew?: number;
  queue: Waiting[];
  /** The newest message that was seen. */
  read?: string;
  /** There is something to come back to. */
  talked?: true;
};

/** The most messages that may wait; the widget reports when a visitor without a connection writes more. */
export const MAX_WAITING = 50;

/**
 * Each message that waits has a place of its own in the storage: two tabs that write at the same moment, each from what
 * it has read before, would otherwise take each other's messages away.
 */
export function openKept(name: string, onElsewhere: () => void) {
  const prefix = `${name}:`;
  let memory: Kept = { queue: [] };
  /** The storage takes no more: what is read from it is older than what this page remembers. */
  let isFull = false;
  const places = (): string[] => Object.keys(localStorage).filter((key) => key.startsWith(prefix));
  const read = (): Kept => {
    if (isFull) return memory;
    try {
      const kept = JSON.parse(localStorage.getItem(name) ?? '{}') as Kept;
      const queue = places().map((key) => JSON.parse(localStorage.getItem(key) ?? 'null') as Waiting | null);
      kept.queue = queue
        .filter((one) => one !== null)
        .sort((a, b) => a.at - b.at || (a.client_id < b.client_id ? -1 : 1));
      memory = kept;
    } catch {
      // Not readable: what this page remembers.
    }
    return memory;
  };
  const change = (how: (kept: Kept) => void): void => {
    const kept = read();
    const before = new Map(kept.queue.map((one) => [one.client_id, JSON.stringify(one)]));
    how(kept);
    memory = kept;
    const { queue, ...rest } = kept;
    try {
      localStorage.setItem(name, JSON.stringify(rest));
      for (const one of queue) {
        const text = JSON.stringify(one);
        if (before.get(one.client_id) !== text) localStorage.setItem(prefix + one.client_id, text);
        before.delete(one.client_id);
      }
      for (const gone of before.keys()) localStorage.removeItem(prefix + gone);
    } catch {
      // Not writable: it lasts as long as the page.
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
        // Nothing was kept.
      }
    },
    close: () => removeEventListener('storage', listen),
  };
}

export type KeptBox = ReturnType<typeof openKept>;
