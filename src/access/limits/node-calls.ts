import type { Clock } from '../../kernel/clock.ts';

/**
 * The calls that this node accepted in the open windows, and the last known number of calls of all nodes. While Redis
 * does not answer, the node takes only its part of what was left at the last response. When Redis answers again, it
 * first gets the number of this node's calls in each open window.
 */
export type NodeCalls = {
  /** Counts one call that only this node knows. */
  add(name: string): void;
  /** Stores a response of Redis. A late response has no effect on the number of this node's calls. */
  record(name: string, count: Count, isLate: boolean): void;
  /** Stores that Redis has set the number of this node's calls to `calls`. */
  settle(name: string, calls: number, count: Omit<Count, 'mine'>): void;
  read(name: string): NodeCount | null;
  /** Lists the open windows. `missing`: only windows with calls that Redis does not know. */
  list(which: 'all' | 'missing'): NodeReport[];
};

/** A response of Redis. `used`: calls of all nodes. `mine`: calls of this node. */
export type Count = { readonly used: number; readonly mine: number; readonly msLeft: number };

/** `calls`: accepted by this node. `alone`: the part of `calls` that Redis does not know. `all`: calls of all nodes. */
export type NodeCount = {
  readonly calls: number;
  readonly alone: number;
  readonly all: number;
  readonly msLeft: number;
};
export type NodeReport = { readonly name: string; readonly calls: number; readonly msLeft: number };

type Window = { shared: number; alone: number; all: number; endsAt: number };

export function createNodeCalls(clock: Clock, windowMs: number): NodeCalls {
  // The order is that in which windows opened, so expired windows are at the start.
  const windows = new Map<string, Window>();

  const openOf = (name: string, now: number): Window | undefined => {
    const window = windows.get(name);
    return window !== undefined && now < window.endsAt ? window : undefined;
  };

  function open(name: string, now: number, msLeft = windowMs): Window {
    const known = openOf(name, now);
    if (known !== undefined) return known;
    windows.delete(name);
    for (const [old, { endsAt }] of windows) {
      if (now < endsAt) break;
      windows.delete(old);
    }
    const window = { shared: 0, alone: 0, all: 0, endsAt: now + msLeft };
    windows.set(name, window);
    return window;
  }

  return {
    add: (name) => void open(name, clock.monotonic()).alone++,
    record: (name, { used, mine, msLeft }, isLate) => {
      const now = clock.monotonic();
      const window = open(name, now, msLeft);
      window.all = isLate ? Math.max(window.all, used) : used;
      if (isLate) return;
      window.shared = mine;
      window.endsAt = now + msLeft;
    },
    settle: (name, calls, { used, msLeft }) => {
      const now = clock.monotonic();
      const window = openOf(name, now);
      if (window === undefined) return;
      window.alone = Math.max(0, window.shared + window.alone - calls);
      window.shared = calls;
      window.all = used;
      window.endsAt = now + msLeft;
    },
    read: (name) => {
      const now = clock.monotonic();
      const window = openOf(name, now);
      return window === undefined ? null : countOf(window, now);
    },
    list: (which) => {
      const now = clock.monotonic();
      return [...windows]
        .filter(([, { alone, endsAt }]) => now < endsAt && (which === 'all' || alone > 0))
        .map(([name, window]) => ({ name, ...countOf(window, now) }));
    },
  };
}

const countOf = ({ shared, alone, all, endsAt }: Window, now: number): NodeCount => ({
  calls: shared + alone,
  alone,
  all,
  msLeft: Math.max(1, Math.round(endsAt - now)),
});
