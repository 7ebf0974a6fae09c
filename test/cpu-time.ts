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
