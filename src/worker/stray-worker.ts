import type { Logger } from 'pino';
import { removeStraysOfKilledMoves } from '../store/cells/remove-strays.ts';
import type { Db } from '../store/db.ts';
import { createLookLoop, type LookLoop } from './look-loop.ts';

const POLL_MS = 60_000;

/** Deletes the old rows of an organization if the command that moved it was killed, so that no erased data stays. */
export function createStrayWorker(db: Db, databaseUrl: string, log: Logger): LookLoop {
  return createLookLoop({
    failure: 'the rows that a killed move has left cannot be deleted; it is tried again',
    log,
    pollMs: POLL_MS,
    look: async () => {
      await removeStraysOfKilledMoves(db.$client, databaseUrl);
      return false;
    },
  });
}
