import { EgressError, NotConnected } from './egress-error.ts';

export type Deadline = {
  /** The signal aborts on timeout, or when the caller aborts. */
  signal: AbortSignal;
  /** Returns the error to throw, which is the caller's own reason, a timeout, or the underlying egress error. */
  explain(error: unknown): unknown;
  /**
   * Waits for `work`, but not longer than the deadline. The method is needed because undici notices an abort only after
   * the connection is made.
   */
  race<T>(work: Promise<T>): Promise<T>;
  clear(): void;
};

/**
 * Creates a timeout for one outgoing call, combined with the caller's signal. Call `clear` after the call has ended.
 */
export function withDeadline(timeoutMs: number, caller?: AbortSignal | null): Deadline {
  const controller = new AbortController();
  const timeout = new EgressError('egress_timeout', 'The request to the remote server timed out.');
  const timer = setTimeout(() => controller.abort(timeout), timeoutMs);
  const over = new Promise<never>((_done, fail) => {
    controller.signal.addEventListener('abort', () => fail(controller.signal.reason), { once: true });
  });
  over.catch(() => {});
  const giveUp = () => controller.abort(caller?.reason);
  if (caller?.aborted) giveUp();
  caller?.addEventListener('abort', giveUp, { once: true });
  return {
    race: (work) => Promise.race([work, over]),
    signal: controller.signal,
    explain: (error) => (controller.signal.aborted ? controller.signal.reason : explainFailure(error)),
    clear() {
      clearTimeout(timer);
      caller?.removeEventListener('abort', giveUp);
    },
  };
}

/** At most this many levels of causes are examined, because `fetch` wraps a socket error several levels deep. */
const MAX_CAUSES = 8;

function explainFailure(error: unknown): EgressError {
  let at = error;
  let neverConnected = false;
  for (let depth = 0; depth < MAX_CAUSES && at instanceof Error; depth++) {
    if (at instanceof EgressError) return at;
    neverConnected ||= at instanceof NotConnected;
    const code = (at as NodeJS.ErrnoException).code;
    if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT') {
      return new EgressError('egress_timeout', 'The request to the remote server timed out.', {
        cause: error,
        neverConnected,
      });
    }
    at = at.cause;
  }
  return new EgressError('egress_unreachable', 'The remote server could not be reached or closed the connection.', {
    cause: error,
    neverConnected,
  });
}
