import type { Logger } from 'pino';
import type { Db } from '../../store/db.ts';
import { announceResults } from '../../store/runs/results.ts';
import { createLookLoop, type LookLoop, type WhenDue } from '../look-loop.ts';

/** A statement locks its rows until it ends, so each statement changes at most this many rows. */
const BATCH = 200;
const POLL_MS = 500;

type Deps = { db: Db; log: Logger; whenDue?: WhenDue };

/** Writes the events about changed results of runs. All changes within a second share one event. */
export const createResultAnnouncer = ({ db, log, whenDue }: Deps): LookLoop =>
  createLookLoop({
    failure: 'changed results could not be announced',
    log,
    pollMs: POLL_MS,
    whenDue,
    look: async () => (await announceResults(db.$client, BATCH)) === BATCH,
  });
