import type { Logger } from 'pino';
import type { Db } from '../../store/db.ts';
import { announceResults } from '../../store/runs/results.ts';
import { createLookLoop, type LookLoop } from '../look-loop.ts';

/** A statement locks its rows until it ends, so each statement changes only this many. */
const BATCH = 200;
const POLL_MS = 500;

/** Writes the events about changed results of runs. All changes within a second share one event. */
export const createResultAnnouncer = ({ db, log }: { db: Db; log: Logger }): LookLoop =>
  createLookLoop({
    failure: 'changed results could not be announced',
    log,
    pollMs: POLL_MS,
    look: async () => (await announceResults(db.$client, BATCH)) === BATCH,
  });
