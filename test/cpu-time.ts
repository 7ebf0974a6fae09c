/**
 * Milliseconds of processor time that this thread spends on it. For promises about how much work something is: other
 * processes on a busy machine make everything later, and nothing more work.
 */
export function cpuMs(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

/** The same until a promise is kept; what else this thread does meanwhile counts, too. */
export async function cpuMsUntil(work: () => Promise<unknown>): Promise<number> {
  const before = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

/** How often the event loop is looked at; what others did in that time counts as part of a stretch. */
const LOOK_MS = 5;

/**
 * The most processor time that this thread spent without letting others have their turn, until a promise is kept. A
 * delay would say the same on an idle machine; on a busy one it tells of other processes.
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
