import { createContext, Script } from 'node:vm';

/**
 * Runs `work` and stops it after `ms` of processor time, even in the middle of a loop or a regular expression. The
 * function protects against code that a stranger can make expensive, such as a JSON Schema. The function throws TooSlow
 * when it stops `work`. Changes that `work` made before it was stopped stay. The time limit of the script measures real
 * time. If other processes used the processor during this time, `work` starts again.
 */
export function withinTime<T>(ms: number, work: () => T): T {
  room['work'] = work;
  try {
    for (let wait = Math.max(1, Math.ceil(ms)); ; wait *= 2) {
      const before = cpuMs();
      try {
        return CALL.runInContext(room, { timeout: wait }) as T;
      } catch (error) {
        if ((error as { code?: unknown } | null)?.code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
        if (wait >= ms * MAX_WAIT || cpuMs() - before >= ms / 2) throw new TooSlow(error);
      }
    }
  } finally {
    room['work'] = null;
  }
}

/** The time that `work` may wait for the processor, as a multiple of its limit. */
const MAX_WAIT = 16;

export function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

export class TooSlow extends Error {
  constructor(cause: unknown) {
    super('The work exceeded its time limit.', { cause });
    this.name = 'TooSlow';
  }
}

/** The limit covers every function that the script calls, including functions from outside its context. */
const CALL = new Script('work()');
const room = createContext({ work: null as unknown });
