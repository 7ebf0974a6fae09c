/**
 * Measures the milliseconds of processor time that this thread needs for the work. Tests of the amount of work use this
 * function, because other processes delay work but do not increase it.
 */
export function cpuMs(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

/** Measures the processor time until a promise resolves. The measured time includes other work of this thread. */
export async function cpuMsUntil(work: () => Promise<unknown>): Promise<number> {
  const before = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

/** The interval of the event loop checks. The measured time includes other work of the process. */
const LOOK_MS = 5;

/**
 * Measures the most processor time that this thread spent without yielding, until a promise resolves. On an idle
 * machine, a measured delay would show the same, but on a busy machine it would show other processes.
 */
export async function longestStretchMs(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let before = process.threadCpuUsage();
  const look = (): void => {
    const { user, system } = process.threadCpuUsage(before);
    longest = Math.max(longest, (user + system) / 1_000);
    before = process.threadCpuUsage();
  };
  const timer = setInterval(look, LOOK_MS);
  try {
    await work();
  } finally {
    clearInterval(timer);
    look();
  }
  return longest;
}
