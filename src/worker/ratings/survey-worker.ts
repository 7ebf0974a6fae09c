import type { Logger } from 'pino';
import { sendSurvey } from '../../features/conversations/send-survey.ts';
import type { Db } from '../../store/db.ts';
import { delaySurvey, findDueSurveys } from '../../store/ratings/survey.ts';
import { createLookLoop, type LookLoop, type WhenDue } from '../look-loop.ts';

const LOOK_MS = 1_000;
/** One run of the loop handles at most this many surveys, and the next run follows immediately. */
const BATCH = 50;
/** The delay of a survey that failed, so that other surveys run first. */
const RETRY_SECONDS = 60;

/**
 * Sends the survey questions of resolved conversations, each in a short transaction. If two workers process the same
 * survey, the second worker finds it sent, so no lease is needed.
 */
export function createSurveyWorker({
  db,
  log,
  whenDue,
  onSent,
}: {
  db: Db;
  log: Logger;
  whenDue?: WhenDue;
  onSent(): void;
}): Pick<LookLoop, 'start' | 'wake' | 'stop'> {
  const loop = createLookLoop({
    failure: 'the worker cannot read surveys; it tries again',
    log,
    pollMs: LOOK_MS,
    whenDue,
    look: async () => {
      const due = await findDueSurveys(db, BATCH);
      for (const one of due) {
        if (loop.isStopping()) break;
        try {
          if (await sendSurvey({ db }, one)) onSent();
        } catch (error) {
          log.warn({ err: error, conversation_id: one.conversationId }, 'a survey failed; tried again');
          await delaySurvey(db, one, RETRY_SECONDS);
        }
      }
      return due.length === BATCH;
    },
  });
  return loop;
}
