import type { Db } from '../db.ts';
import { readRunProgress, type RunProgress } from './read.ts';

/**
 * Waits for the progress of a run. All waiting callers share one query every POLL_MS, no matter which process does the
 * work. A worker in this process calls `look` after it has stored turns, so that the waiting callers see the answers
 * immediately.
 */
export type RunWaiter = {
  /**
   * The promise resolves with true when `enough` is true for the run. The promise resolves with false after `ms` or
   * when the caller aborts the wait.
   */
  wait(
    run: { orgId: string; runId: string },
    ms: number,
    enough: (progress: RunProgress) => boolean,
    signal?: AbortSignal,
  ): Promise<boolean>;
  look(): void;
  stop(): void;
};

const POLL_MS = 150;
/**
 * Maximum number of waiting callers. If the limit is reached, a further caller gets the response of a caller whose time
 * is over.
 */
const MAX_WAITING = 10_000;

type Waiting = { orgId: string; runId: string; enough(progress: RunProgress): boolean; finish(result: boolean): void };

export function createRunWaiter(db: Db): RunWaiter {
  const waiting = new Set<Waiting>();
  let timer: NodeJS.Timeout | null = null;
  let reading = false;
  let again = false;

  const look = () => {
    if (waiting.size === 0) return;
    if (reading) {
      again = true;
      return;
    }
    if (timer) clearTimeout(timer);
    timer = null;
    reading = true;
    void read().finally(() => {
      reading = false;
      if (again) {
        again = false;
        look();
      } else if (waiting.size > 0) {
        timer = setTimeout(look, POLL_MS);
      }
    });
  };

  async function read(): Promise<void> {
    // A failed read has no result, so the callers' own timeouts end the wait.
    const found = await readRunProgress(db, [...waiting]).catch(() => []);
    const progress = new Map(found.map((row) => [row.id, row]));
    for (const entry of waiting) {
      const row = progress.get(entry.runId);
      if (row && entry.enough(row)) entry.finish(true);
    }
  }

  return {
    wait: (run, ms, enough, signal) =>
      new Promise((resolve) => {
        if (waiting.size >= MAX_WAITING || ms <= 0 || signal?.aborted) return resolve(false);
        const giveUp = (): void => entry.finish(false);
        const timeout = setTimeout(giveUp, ms);
        const entry: Waiting = {
          ...run,
          enough,
          finish: (result) => {
            clearTimeout(timeout);
            // The signal may last as long as the process, and a listener would keep this wait in memory.
            signal?.removeEventListener('abort', giveUp);
            waiting.delete(entry);
            resolve(result);
          },
        };
        waiting.add(entry);
        signal?.addEventListener('abort', giveUp);
        look();
      }),
    look,
    stop: () => {
      if (timer) clearTimeout(timer);
      for (const entry of waiting) entry.finish(false);
    },
  };
}

const ENDED = new Set(['completed', 'failed', 'skipped', 'cancelled']);

/** True: the run will send no more messages. */
export const hasEnded = ({ status }: Pick<RunProgress, 'status'>): boolean => ENDED.has(status);

/** True: the run has had its first turn, or will have no turn. */
export const hasAnswered = (progress: Pick<RunProgress, 'status' | 'turns'>): boolean =>
  progress.turns > 0 || progress.status === 'handed_off' || hasEnded(progress);
