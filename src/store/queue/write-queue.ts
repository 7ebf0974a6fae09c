import type pg from 'pg';
import { Refusal } from '../../../contract/problems.ts';
import { createBatcherByCell } from '../cells/by-cell.ts';
import { type PlannedWrite, planAndWrite } from './plan-and-write.ts';
import { LATER } from './later.ts';

/** Maximum number of calls in one statement. A larger batch takes longer without more throughput. */
const BATCH = 200;
/** Two batches are in progress, so that this process plans one batch while the database writes the other batch. */
const BATCHES_AT_ONCE = 2;
/** Maximum number of waiting calls, which is about half a second of work on a small machine. */
const QUEUE = 5_000;

export type WriteQueue<Call, Outcome> = {
  add(call: Call): Promise<Outcome>;
  /** The number of calls that wait or are being written. */
  load(): number;
  drain(): Promise<void>;
};

/** Calls that arrive together are planned and written together. Each call gets its own outcome. */
export function createWriteQueue<Call extends { orgId: string }, Outcome>(
  pool: pg.Pool,
  send: (calls: Call[]) => Promise<(Outcome | typeof LATER | Error)[]>,
): WriteQueue<Call, Outcome> {
  const batcher = createBatcherByCell<Call, Outcome | typeof LATER>(pool, ({ orgId }) => orgId, {
    size: BATCH,
    batchesAtOnce: BATCHES_AT_ONCE,
    queue: QUEUE,
    send,
    full: () => new Refusal('unavailable', 'Too many calls are waiting on this server.'),
  });
  return {
    add: async (call) => {
      for (;;) {
        const outcome = await batcher.add(call);
        if (outcome !== LATER) return outcome;
      }
    },
    load: () => batcher.load(),
    drain: () => batcher.drain(),
  };
}

/**
 * Writes calls together. A row that the database refuses does not fail the other calls, because each call is then
 * written alone.
 */
export async function writeTogether<Call, Plan, Outcome>(
  pool: pg.Pool,
  calls: Call[],
  planned: (calls: Call[]) => PlannedWrite<Plan, (Outcome | Error)[]>,
): Promise<(Outcome | Error)[]> {
  try {
    return await planAndWrite(pool, planned(calls));
  } catch (error) {
    if (error instanceof Refusal) throw error;
    if (calls.length === 1) return [error as Error];
  }
  const outcomes: (Outcome | Error)[] = [];
  for (const call of calls)
    outcomes.push(...(await writeTogether(pool, [call], planned).catch((error: Error) => [error])));
  return outcomes;
}
