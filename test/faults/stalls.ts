/**
 * How long the machine has kept this process waiting. A bound that is missed only because nobody got a processor says
 * nothing about the program, so what was measured here is taken off before a time is held against its bound. A suite
 * on a machine of its own takes off nearly nothing.
 */
export type Stalls = {
  /** Milliseconds between two moments in which a process that wanted to run did not. */
  between(from: number, to: number): number;
};

const TICK_MS = 10;
/** A timer that is late by less is late everywhere. */
const LATE_MS = 20;
/** Of these nobody asks any more. */
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

/** Since `from` (this process's monotonic clock), without what the machine did not let anybody do. */
export function elapsedSince(from: number): { ms: number; text: string } {
  const to = performance.now();
  const stalled = stalls.between(from, to);
  const text = `${(to - from).toFixed(0)} ms${stalled > 0 ? `, ${stalled.toFixed(0)} of them without a processor` : ''}`;
  return { ms: to - from - stalled, text };
}
