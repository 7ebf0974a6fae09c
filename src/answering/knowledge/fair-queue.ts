import type { PausableWork } from '../../engine/knowledge/pausable-work.ts';

/**
 * Runs the work of many organizations on one thread, in slices of some milliseconds. The organizations take turns. The
 * work of one organization runs in the order of arrival. A small search waits for one slice of another organization's
 * build, not for the whole build.
 */
export type Work = {
  orgId: string;
  job: number;
  steps: PausableWork<void>;
  /** Processor time that the work may take in total. */
  limitMs: number;
  spentMs: number;
  fail(why: string): void;
};

/** Work yields WAIT when it must wait for data. The function `add` puts the work back into the queue. */
export const WAIT = Symbol('wait');

export function createFairQueue(meter: { clock(): number; cpu(): number; onJob(job: number): void }) {
  /** The waiting work by organization. The first organization is next. */
  const queues = new Map<string, Work[]>();

  function add(work: Work): void {
    const queue = queues.get(work.orgId);
    if (queue) queue.push(work);
    else queues.set(work.orgId, [work]);
  }

  /** Works for about `ms` milliseconds, or less if no work is left. */
  function run(ms: number): void {
    const end = meter.clock() + ms;
    while (meter.clock() < end) {
      const next = queues.entries().next();
      if (next.done) return;
      const [orgId, queue] = next.value;
      // The organization is last now. The queue stays in the map, because the work may add other work.
      queues.delete(orgId);
      queues.set(orgId, queue);
      if (goOn(queue[0]!, end) === 'more') continue;
      queue.shift();
      if (queue.length === 0) queues.delete(orgId);
    }
  }

  function goOn(work: Work, end: number): 'more' | 'gone' {
    meter.onJob(work.job);
    const before = meter.cpu();
    try {
      do {
        const step = work.steps.next();
        if (step.done || step.value === WAIT) return 'gone';
      } while (meter.clock() < end);
    } catch (error) {
      work.fail(error instanceof Error ? error.message : String(error));
      return 'gone';
    } finally {
      work.spentMs += meter.cpu() - before;
      meter.onJob(0);
    }
    if (work.spentMs <= work.limitMs) return 'more';
    work.fail(`It took more than ${work.limitMs / 1_000} seconds of work.`);
    return 'gone';
  }

  return { add, run, isIdle: () => queues.size === 0 };
}
