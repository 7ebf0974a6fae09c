/**
 * Milliseconds of processor time that this thread spends on it. For promises about the amount of work: other processes
 * on a busy machine delay the work but do not increase it.
 */
export function cpuMs(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

/** The same until a promise resolves; other work of this thread in that time counts, too. */
export async function cpuMsUntil(work: () => Promise<unknown>): Promise<number> {
  const before = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

/** How often the event loop is checked; other work in that time counts as part of a stretch. */
const LOOK_MS = 5;

/**
 * The most processor time that this thread spent without yielding, until a promise resolves. A delay would show the
 * same on an idle machine; on a busy one it shows other processes.
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
