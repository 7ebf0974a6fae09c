import { setTimeout as pause } from 'node:timers/promises';
import { Failure, Refused } from './failure.ts';

/** The number of attempts limits the wait for other tests of the organization that run at the same time. */
const LIMITED_ATTEMPTS = 10;
const FAILED_ATTEMPTS = 2;

/** Repeats a call that exceeds the rate limit. A call that fails at a model provider or the server is repeated once. */
export async function retryCall<T>(work: () => Promise<T>): Promise<T> {
  let limited = 0;
  let failed = 0;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const isLimited = error instanceof Refused && error.code === 'rate_limited' && ++limited < LIMITED_ATTEMPTS;
      if (!isLimited && !(isTemporary(error) && ++failed < FAILED_ATTEMPTS)) throw error;
      await pause(1_000);
    }
  }
}

/** A model provider or the server failed in this call, so the next call may succeed. */
export const isTemporary = (error: unknown): error is Failure | Refused =>
  error instanceof Refused ? error.status >= 500 : error instanceof Failure && error.code === 'server_too_slow';
