/**
 * What outlives a page: the visitor's token, what waits to be sent, how far was read. Every change reads first, because
 * another tab may have written meanwhile. Without storage (blocked, full) it lasts as long as the page.
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

/** Messages that wait; whoever writes more without a connection is told. */
export const MAX_WAITING = 50;

export function openKept(name: string, onElsewhere: () => void) {
  let memory: Kept = { queue: [] };
  const read = (): Kept => {
    try {
      const text = localStorage.getItem(name);
      const kept = text === null ? null : (JSON.parse(text) as Kept);
      if (kept && Array.isArray(kept.queue)) memory = kept;
      else if (text === null) memory = { queue: [] };
    } catch {
      // Not readable: what this page remembers.
    }
    return memory;
  };
  const change = (how: (kept: Kept) => void): void => {
    const kept = read();
    how(kept);
    memory = kept;
    try {
      localStorage.setItem(name, JSON.stringify(kept));
    } catch {
      // Not writable: it lasts as long as the page.
    }
  };
  const listen = (event: StorageEvent): void => {
    if (event.key === name) onElsewhere();
  };
  addEventListener('storage', listen);
  return {
    read,
    change,
    forget: () => {
      memory = { queue: [] };
      try {
        localStorage.removeItem(name);
      } catch {
        // Nothing was kept.
      }
    },
    close: () => removeEventListener('storage', listen),
  };
}

export type KeptBox = ReturnType<typeof openKept>;
