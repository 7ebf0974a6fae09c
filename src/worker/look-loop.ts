import { setImmediate as everythingElse } from 'node:timers/promises';
import type { Logger } from 'pino';

/**
 * The poll loop of every worker: looks for due work, again immediately while there is more, else after a delay or when
 * it is woken. One look at a time.
 */
export type LookLoop = {
  start(): void;
  /** Something became due: look now instead of at the next poll. */
  wake(): void;
  /** Resolves when the current look ends. */
  stop(): Promise<void>;
  isStopping(): boolean;
};

type LookLoopOptions = {
  /** The log line when a look fails. The loop then waits for the next poll. */
  failure: string;
  log: Logger;
  pollMs: number;
  /** Resolves with whether more may be due already. */
  look(): Promise<boolean>;
};

export function createLookLoop({ failure, log, pollMs, look }: LookLoopOptions): LookLoop {
  let stopping = false;
  let woken = false;
  let wakeUp: (() => void) | null = null;
  let running: Promise<void> = Promise.resolve();

  async function run(): Promise<void> {
    while (!stopping) {
      woken = false;
      const isMore = await look().catch((error: unknown) => {
        if (!stopping) log.warn({ err: error }, failure);
        return false;
      });
      if (!isMore && !woken && !stopping) await sleep();
      // A look that makes no query never yields: sockets and timers need time before the next look.
      else await everythingElse();
    }
  }

  const sleep = () =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, pollMs);
      wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });

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
