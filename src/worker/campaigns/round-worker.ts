import type { Logger } from 'pino';
import { makeDueRound } from '../../features/campaigns/make-round.ts';
import { delaySchedule, type ScheduleRow } from '../../store/campaigns/schedules.ts';
import type { Db } from '../../store/db.ts';
import { createLookLoop, type LookLoop } from '../look-loop.ts';

const LOOK_MS = 10_000;
const RETRY_SECONDS = 60;

type Deps = { db: Db; log: Logger; onMade(): void; lookMs?: number };

/** Creates the rounds of campaigns that repeat. No lease is needed, because each round is one short transaction. */
export function createRoundWorker({
  db,
  log,
  onMade,
  lookMs = LOOK_MS,
}: Deps): Pick<LookLoop, 'start' | 'wake' | 'stop'> {
  return createLookLoop({
    failure: 'the round of a campaign could not be made; it is tried again',
    log,
    pollMs: lookMs,
    look: async () => {
      let taken: ScheduleRow | null = null;
      try {
        const isMade = await makeDueRound(db, new Date(), (due) => (taken = due));
        if (isMade) onMade();
        return isMade;
      } catch (error) {
        if (taken !== null) await delaySchedule(db, taken, RETRY_SECONDS).catch(() => {});
        throw error;
      }
    },
  });
}
