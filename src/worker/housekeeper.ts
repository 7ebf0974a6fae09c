import type { Logger } from 'pino';
import { forgetStoredAnswers } from '../store/accept/stored-answer.ts';
import type { Db } from '../store/db.ts';
import { forgetImports } from '../store/import-queue.ts';
import { forgetEvents } from '../store/events.ts';
import { forgetInbound } from '../store/receipts.ts';
import { forgetUsage, trimRequests } from '../store/usage.ts';

const EVERY_MS = 60_000;
/** Rows of one statement: short enough to disturb nobody. */
const BATCH = 5_000;
/** Statements of one round: the rest waits for the next one. */
const MAX_BATCHES = 20;

/** Removes what has served its time: stored answers older than 24 hours, counts and requests older than a month or beyond the newest 50,000 of an organization, what providers told us a week ago. Any number of nodes may do it at once. */
export function createHousekeeper({ db, log }: { db: Db; log: Logger }) {
  let timer: NodeJS.Timeout | undefined;
  const tidy = async () => {
    try {
      for (let batch = 0; batch < MAX_BATCHES; batch++) {
        if ((await forgetStoredAnswers(db.$client, BATCH)) < BATCH) break;
      }
      await forgetUsage(db.$client, BATCH);
      for (let batch = 0; batch < MAX_BATCHES; batch++) {
        if ((await trimRequests(db.$client, BATCH)) < BATCH) break;
      }
      await forgetInbound(db.$client, BATCH);
      await forgetEvents(db.$client, BATCH);
      await forgetImports(db.$client, BATCH);
    } catch (error) {
      log.warn({ err: error }, 'tidying up failed; it is tried again in a minute');
    }
  };
  return {
    start: () => {
      timer = setInterval(() => void tidy(), EVERY_MS);
    },
    stop: () => clearInterval(timer),
  };
}
