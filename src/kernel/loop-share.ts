/**
 * Pieces of work that become ready at the same moment would run one after another and block the event loop. With a
 * share of the loop, the pieces of work run in stretches. When a stretch has ended, the next piece waits until all
 * other work has had its turn.
 */
export type LoopShare = <T>(work: () => T) => Promise<T>;

const STRETCH_MS = 20;

export function createLoopShare(stretchMs = STRETCH_MS): LoopShare {
  let began = performance.now();
  let next: Promise<void> | null = null;
  return async (work) => {
    // The time is checked again after each wait, because earlier pieces may have used it up.
    while (performance.now() - began >= stretchMs) {
      next ??= new Promise((resolve) => {
        setImmediate(() => {
          next = null;
          began = performance.now();
          resolve();
        });
      });
      await next;
    }
    return work();
  };
}
