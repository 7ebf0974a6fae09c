/**
 * Measures how long the machine has delayed this process. A limit that is missed only because no processor was free is
 * no fault of the program. The measured delay is subtracted before a duration is compared with its limit. A suite on
 * its own machine has almost no delay to subtract.
 */
export type Stalls = {
  /** Returns the delay in milliseconds between two moments in which a process could not run although it was ready. */
  between(from: number, to: number): number;
};

const TICK_MS = 10;
/** A smaller delay of a timer is normal everywhere. */
const LATE_MS = 20;
/** The list drops older stalls, because nothing reads them. */
const KEPT_MS = 180_000;

type Stall = { from: number; to: number };

export function watchStalls(now = () => performance.now()): Stalls & { look(): void } {
  let stalls: Stall[] = [];
  let seen = now();
  const look = (): void => {
    const at = now();
    const due = seen + TICK_MS;
    seen = at;
    if (at - due < LATE_MS) return;
    stalls = stalls.filter(({ to }) => to > at - KEPT_MS);
    stalls.push({ from: due, to: at });
  };
  setInterval(look, TICK_MS).unref();
  return {
    look,
    between: (from, to) =>
      stalls.reduce((total, stall) => total + Math.max(0, Math.min(stall.to, to) - Math.max(stall.from, from)), 0),
  };
}

const stalls: Stalls = watchStalls();

/**
 * Returns the time since `from` (this process's monotonic clock), without the time in which the machine ran no process.
 */
export function elapsedSince(from: number): { ms: number; text: string } {
  const to = performance.now();
  const stalled = stalls.between(from, to);
  const text = `${(to - from).toFixed(0)} ms${stalled > 0 ? `, ${stalled.toFixed(0)} of them without a processor` : ''}`;
  return { ms: to - from - stalled, text };
}
