import type { Clock } from '../../kernel/clock.ts';

/**
 * Records when each key was last used. The first call of a key is written immediately. Later calls are written at most
 * once a minute, and the last of them is written a minute later. Writes are batched, with one statement at a time. No
 * request waits for such a write, and no request fails because of one. The database never moves the time backwards.
 */
export type LastUsed = {
  /**
   * `known`: the last use in the database when the key was read (wall time in milliseconds). Null: the key was never
   * used.
   */
  record(orgId: string, keyId: string, known: number | null): void;
  /** Writes all pending values. */
  flush(): Promise<void>;
  stop(): Promise<void>;
};

/**
 * `isLast`: true if the key was not used again for a while. Another node may have written within the same minute. If
 * another node has written a later use, only that value counts.
 */
export type Use = { orgId: string; keyId: string; at: Date; isLast: boolean };

type State = { orgId: string; written: number; latest: number };

const COALESCE_MS = 60_000;
const SWEEP_MS = 5_000;
/**
 * Maximum number of keys whose last use is tracked at the same time. Above this number, the oldest use is written
 * early.
 */
const MAX_KEYS = 200_000;
const MAX_BATCH = 1_000;

export function createLastUsed(deps: {
  clock: Clock;
  write(uses: Use[]): Promise<void>;
  onError(error: unknown): void;
}): LastUsed {
  const { clock } = deps;
  const states = new Map<string, State>();
  const pending = new Map<string, Use>();
  let writing: Promise<void> | null = null;
  let scheduled = false;

  const queue = (keyId: string, state: State, isLast: boolean): void => {
    state.written = state.latest;
    pending.set(keyId, { orgId: state.orgId, keyId, at: new Date(state.latest), isLast });
    if (scheduled || writing) return;
    scheduled = true;
    setImmediate(() => {
      scheduled = false;
      writing ??= writeAll();
    });
  };

  const writeAll = async (): Promise<void> => {
    try {
      while (pending.size > 0) {
        const uses = [...pending.values()].slice(0, MAX_BATCH);
        for (const use of uses) pending.delete(use.keyId);
        await writeOne(uses);
      }
    } finally {
      writing = null;
    }
  };

  const writeOne = async (uses: Use[]): Promise<void> => {
    try {
      // All nodes write keys in one fixed order, to avoid deadlocks between two statements.
      await deps.write(uses.sort((a, b) => (a.keyId < b.keyId ? -1 : 1)));
    } catch (error) {
      deps.onError(error);
      for (const { keyId } of uses) forgetWritten(states.get(keyId));
    }
  };

  const sweep = (): void => {
    const now = clock.wall();
    for (const [keyId, state] of states) {
      if (now - state.latest < COALESCE_MS) continue;
      if (state.latest > state.written) queue(keyId, state, true);
      else states.delete(keyId);
    }
  };
  const timer = setInterval(sweep, SWEEP_MS);
  timer.unref();

  const makeRoom = (): void => {
    const oldest = states.entries().next().value;
    if (!oldest) return;
    const [keyId, state] = oldest;
    if (state.latest > state.written) queue(keyId, state, true);
    states.delete(keyId);
  };

  const flush = async (): Promise<void> => {
    for (const [keyId, state] of states) if (state.latest > state.written) queue(keyId, state, true);
    await writing;
    await (writing ??= writeAll());
  };

  return {
    record: (orgId, keyId, known) => {
      const now = clock.wall();
      let state = states.get(keyId);
      if (state === undefined) {
        if (states.size >= MAX_KEYS) makeRoom();
        state = { orgId, written: known ?? Number.NEGATIVE_INFINITY, latest: now };
        states.set(keyId, state);
      } else state.latest = now;
      if (now - state.written >= COALESCE_MS) queue(keyId, state, false);
    },
    flush,
    stop: async () => {
      clearInterval(timer);
      await flush();
    },
  };
}

/** Forgets that a use was written, so that the next call or sweep writes again. */
function forgetWritten(state: State | undefined): void {
  if (state) state.written = Number.NEGATIVE_INFINITY;
}
