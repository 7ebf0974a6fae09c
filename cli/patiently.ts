import { setTimeout as pause } from 'node:timers/promises';
import { Refused } from './failure.ts';

const PATIENCE = 10;

/** Other tests of the organization may run at the same time. */
export async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Refused) || error.code !== 'rate_limited' || attempt >= PATIENCE) throw error;
      await pause(1_000);
    }
  }
}
