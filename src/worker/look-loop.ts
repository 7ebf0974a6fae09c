import { setImmediate as everythingElse } from 'node:timers/promises';
import type { Logger } from 'pino';

/** The longest wait after failures. */
const MAX_BACKOFF_MS = 10_000;

/**
 * The poll loop of every worker. While more work may be due, the loop checks again immediately. When no more work is
 * due, the loop checks when it is woken, and when the watch of its queue (due-watch.ts) finds due rows. Without a
 * watch, the loop checks after a delay. Only one check runs at a time.
 */
export type LookLoop = {
  start(): void;
  /** Call this method when work became due, so that the loop checks immediately instead of at the next poll. */
  wake(): void;
  /** The promise resolves when the current check ends. */
  stop(): Promise<void>;
  isStopping(): boolean;
};

type LookLoopOptions = {
  /**
   * The log message when a check fails. After a failure, the loop waits for the next poll, and longer after each
   * further failure.
   */
  failure: string;
  log: Logger;
  /** The delay between two checks. With a watch, the value is the shortest delay. */
  pollMs: number;
  whenDue?: WhenDue;
  /** The promise resolves with true if more work may already be due. */
  look(): Promise<boolean>;
};

/** Calls `onDue` when work may be due, at the earliest after `pollMs`. Returns a function that cancels the call. */
export type WhenDue = (pollMs: number, onDue: () => void) => () => void;

const after: WhenDue = (ms, onDue) => {
  const timer = setTimeout(onDue, ms);
  return () => clearTimeout(timer);
};

export function createLookLoop({ failure, log, pollMs, whenDue = after, look }: LookLoopOptions): LookLoop {
  let stopping = false;
  let woken = false;
  let failures = 0;
  let wakeUp: (() => void) | null = null;
  let running: Promise<void> = Promise.resolve();

  async function run(): Promise<void> {
    while (!stopping) {
      woken = false;
      const isMore = await look().then(
        (more) => {
          failures = 0;
          return more;
        },
        (error: unknown) => {
          failures++;
          if (!stopping) log.warn({ err: error }, failure);
          return false;
        },
      );
      if (!isMore && !woken && !stopping) await sleep();
      // Sockets and timers need time before the next check, because a check without a query never yields.
      else await everythingElse();
    }
  }

  const sleep = () =>
    new Promise<void>((resolve) => {
      // Due rows do not shorten the wait after failures.
      const cancel = failures > 1 ? after(backoff(), resolve) : whenDue(pollMs, resolve);
      wakeUp = () => {
        cancel();
        resolve();
      };
    });

  const backoff = (): number => Math.max(pollMs, Math.min(MAX_BACKOFF_MS, pollMs * 2 ** (failures - 1)));

  const wake = (): void => {
    woken = true;
    wakeUp?.();
  };

  return {
    start: () => {
      running = run();
    },
    wake,
    stop: async () => {
      stopping = true;
      wake();
      await running;
    },
    isStopping: () => stopping,
  };
}
