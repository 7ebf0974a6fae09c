/**
 * Many pieces of work that become ready at the same moment would run one after another without a break, and nobody else
 * is answered meanwhile. With a share of the event loop, they run in stretches: once a stretch is over, the next piece
 * waits until everybody else has had their turn.
 */
export type LoopShare = <T>(work: () => T) => Promise<T>;

const STRETCH_MS = 20;

export function createLoopShare(stretchMs = STRETCH_MS): LoopShare {
  let began = performance.now();
  let next: Promise<void> | null = null;
  return async (work) => {
    // Asked again by each that has waited: those before it may have used the stretch up.
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
