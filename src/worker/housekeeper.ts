import type { Logger } from 'pino';
import { forgetStoredAnswers } from '../store/idempotency/stored-answer.ts';
import type { Db } from '../store/db.ts';
import { forgetImports } from '../store/imports/queue.ts';
import { forgetEvents } from '../store/events/events.ts';
import { eraseOld } from '../store/organizations/retention.ts';
import { forgetInbound } from '../store/deliveries/receipts.ts';
import { forgetUsage, trimRequests } from '../store/usage/usage.ts';

const EVERY_MS = 60_000;
/** Rows of one statement: short enough to disturb nobody. */
const BATCH = 5_000;
/** Statements of one kind in one round; together more a minute than one server can take in. The rest waits for the next round. */
const MAX_BATCHES = 100;

/** Each removes at most `limit` rows, and returns how many. */
const CHORES: readonly ((pool: Db['$client'], limit: number) => Promise<number>)[] = [
  forgetStoredAnswers,
  forgetUsage,
  (pool, limit) => trimRequests(pool, limit),
  forgetInbound,
  forgetEvents,
  forgetImports,
];

/** A piece of what organizations keep for so many days only; as long as one is due, another may be. */
const retain = async (db: Db): Promise<number> => ((await eraseOld(db)) ? BATCH : 0);

/** Removes what has served its time: stored answers older than 24 hours, counts and requests older than a month or beyond the newest 50,000 of an organization, what providers told us a week ago, events older than 30 days, conversations of organizations that keep them for so many days only. Any number of nodes may do it at once. */
export function createHousekeeper({ db, log }: { db: Db; log: Logger }) {
  let timer: NodeJS.Timeout | undefined;
  let isTidying = false;
  let stopped = false;

  async function tidy(): Promise<void> {
    if (isTidying) return;
    isTidying = true;
    for (const chore of [...CHORES, () => retain(db)]) {
      try {
        for (let batch = 0; batch < MAX_BATCHES && !stopped; batch++) {
          if ((await chore(db.$client, BATCH)) < BATCH) break;
        }
      } catch (error) {
        // The other chores are done all the same.
        if (!stopped) log.warn({ err: error }, 'tidying up failed; it is tried again in a minute');
      }
    }
    isTidying = false;
  }

  return {
    start: () => {
      timer = setInterval(() => void tidy(), EVERY_MS);
    },
    tidy,
    stop: () => {
      stopped = true;
      clearInterval(timer);
    },
  };
}
