/** Some loops that take work from a queue until it is empty, then look again after a while or when they are woken. */
export type Lanes = {
  start(): void;
  wake(): void;
  stop(): Promise<void>;
  isStopping(): boolean;
  /** Ends early when the lanes stop. */
  sleep(ms: number): Promise<void>;
};

export function createLanes({
  lanes,
  pollMs,
  work,
}: {
  lanes: number;
  pollMs: number;
  /** Takes one thing and works on it to the end; false when there was nothing. Never rejects. */
  work(): Promise<boolean>;
}): Lanes {
  const wakers = new Set<() => void>();
  const sleepers = new Set<() => void>();
  let stopping = false;
  let running: Promise<void>[] = [];

  async function lane(): Promise<void> {
    while (!stopping) if (!(await work())) await wait(pollMs, wakers);
  }

  const wait = (ms: number, among: Set<() => void>): Promise<void> =>
    new Promise((resolve) => {
      if (stopping) return resolve();
      const end = (): void => {
        clearTimeout(timer);
        among.delete(end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      among.add(end);
    });

  const wake = (): void => wakers.forEach((waker) => waker());

  return {
    start: () => {
      running = Array.from({ length: lanes }, lane);
    },
    wake,
    isStopping: () => stopping,
    sleep: (ms) => wait(ms, sleepers),
    stop: async () => {
      stopping = true;
      wake();
      sleepers.forEach((sleeper) => sleeper());
      await Promise.all(running);
    },
  };
}
