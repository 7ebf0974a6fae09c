import type { Logger } from 'pino';
import { startScheduledCampaign } from '../../features/campaigns/start-scheduled-campaign.ts';
import { delaySchedule, type ScheduleRow } from '../../store/campaigns/schedules.ts';
import type { Db } from '../../store/db.ts';
import { createLookLoop, type LookLoop, type WhenDue } from '../look-loop.ts';

const LOOK_MS = 10_000;
const RETRY_SECONDS = 60;

type Deps = { db: Db; log: Logger; whenDue?: WhenDue; onStarted(): void; lookMs?: number };

/** Starts the campaigns of schedules, each in one short transaction, so no lease is needed. */
export function createScheduleWorker({
  db,
  log,
  whenDue,
  onStarted,
  lookMs = LOOK_MS,
}: Deps): Pick<LookLoop, 'start' | 'wake' | 'stop'> {
  return createLookLoop({
    failure: 'a schedule could not start its campaign; it is tried again',
    log,
    pollMs: lookMs,
    whenDue,
    look: async () => {
      let claimed: ScheduleRow | null = null;
      try {
        const isStarted = await startScheduledCampaign(db, new Date(), (due) => (claimed = due));
        if (isStarted) onStarted();
        return isStarted;
      } catch (error) {
        if (claimed !== null) await delaySchedule(db, claimed, RETRY_SECONDS).catch(() => {});
        throw error;
      }
    },
  });
}
