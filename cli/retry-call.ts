import { setTimeout as pause } from 'node:timers/promises';
import { Failure, Refused } from './failure.ts';

/** Other tests of the organization may run at the same time. */
const LIMITED_ATTEMPTS = 10;
const FAILED_ATTEMPTS = 2;

/** Repeats a call that the rate limit refuses, and once a call that a model provider or the server fails. */
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

/** A provider or the server failed at this call; the next call may succeed. */
export const isTemporary = (error: unknown): error is Failure | Refused =>
  error instanceof Refused ? error.status >= 500 : error instanceof Failure && error.code === 'server_too_slow';
