import { setImmediate as everythingElse } from 'node:timers/promises';

/**
 * What every worker of a queue does: looks for what is due, again at once while there is more, else after a while or when
 * it is woken. One look at a time.
 */
export type LookLoop = {
  start(): void;
  /** Something became due: look now instead of at the next poll. */
  wake(): void;
  /** Ends with the look that is under way. */
  stop(): Promise<void>;
  isStopping(): boolean;
};

/** `look` resolves with whether more may be due already; it must not reject. */
export function createLookLoop(pollMs: number, look: () => Promise<boolean>): LookLoop {
  let stopping = false;
  let woken = false;
  let wakeUp: (() => void) | null = null;
  let running: Promise<void> = Promise.resolve();

  async function run(): Promise<void> {
    while (!stopping) {
      woken = false;
      const isMore = await look();
      if (!isMore && !woken && !stopping) await sleep();
      // A look that asks nobody takes no time of its own: looking again must leave some to sockets and clocks.
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
