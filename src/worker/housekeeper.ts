import type { Logger } from 'pino';
import { forgetLooseAttachments } from '../store/attachments/attachments.ts';
import { forgetPresence } from '../store/conversations/presence.ts';
import { forgetStoredAnswers } from '../store/idempotency/stored-answer.ts';
import type { Db } from '../store/db.ts';
import { forgetImports } from '../store/imports/queue.ts';
import { forgetEvents } from '../store/events/events.ts';
import { forgetInbound } from '../store/deliveries/receipts.ts';
import { sendWeeklyMails, type WeeklyMailsDeps } from '../features/statistics/send-weekly-mail.ts';
import { reviewRollouts } from '../features/rollouts/review-rollouts.ts';
import { applyRetention } from '../features/organizations/retention.ts';
import { notifyOwnersOfBudgets } from '../features/costs/notify-owners.ts';
import { chargeLostReservations } from '../store/costs/reserve.ts';
import { forgetTries } from '../store/costs/record-use.ts';
import { createRequestTrimmer, forgetUsage } from '../store/usage/usage.ts';

const EVERY_MS = 60_000;
/** One statement handles at most this many rows, so that it does not disturb other queries. */
const BATCH = 5_000;
/**
 * Maximum number of statements of one kind in one round. Together, the statements remove more rows per minute than one
 * server can write. Rows above this number wait for the next round.
 */
const MAX_BATCHES = 100;

/** One node compares at most this many rollouts before it looks for other due rollouts. */
const ROLLOUTS = 20;

/** Each function removes or finishes at most `limit` rows and returns their number. */
const CHORES: readonly ((pool: Db['$client'], limit: number) => Promise<number>)[] = [
  forgetStoredAnswers,
  forgetUsage,
  forgetInbound,
  forgetEvents,
  forgetImports,
  forgetLooseAttachments,
  forgetPresence,
  (pool, limit) => chargeLostReservations(pool, limit),
  forgetTries,
];

/** Processes one batch for organizations with a retention period. After each batch, another batch may be due. */
const retain = async (db: Db): Promise<number> => ((await applyRetention(db)) ? BATCH : 0);

export type HousekeeperOptions = WeeklyMailsDeps & { log: Logger };

/**
 * Removes expired data: stored responses, counts and requests, events of providers, events for endpoints, conversations
 * beyond their retention period, files without a message, presence rows, and tries of models. The housekeeper also
 * charges the budget reservations of dead workers, mails owners whose budget is spent, stops rollouts of versions that
 * are worse, and sends members the weekly mail. Any number of nodes may run the housekeeper at the same time.
 */
export function createHousekeeper({ log, ...deps }: HousekeeperOptions) {
  const { db } = deps;
  let timer: NodeJS.Timeout | undefined;
  let isTidying = false;
  let stopped = false;

  const trimRequests = createRequestTrimmer();
  const mail: (typeof CHORES)[number] = (_, limit) => notifyOwnersOfBudgets(deps, limit);
  const rollouts: (typeof CHORES)[number] = () => reviewRollouts(db, ROLLOUTS);
  const week = async (): Promise<number> => {
    await sendWeeklyMails(deps);
    return 0;
  };

  async function tidy(): Promise<void> {
    if (isTidying) return;
    isTidying = true;
    for (const chore of [...CHORES, trimRequests, () => retain(db), mail, rollouts, week]) {
      try {
        for (let batch = 0; batch < MAX_BATCHES && !stopped; batch++) {
          if ((await chore(db.$client, BATCH)) < BATCH) break;
        }
      } catch (error) {
        // The other tasks of the round still run.
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
