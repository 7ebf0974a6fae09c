/** The maximum delay of a timer. A timer with a longer delay would fire immediately. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

export function sleep(delay: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal!.reason as Error);
    };
    const wake = (): void => {
      signal?.removeEventListener('abort', abort);
      resolve();
    };
    const timer = setTimeout(wake, Math.min(delay, LONGEST_TIMER_MS));
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
}
