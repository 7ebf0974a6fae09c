import type { Logger } from 'pino';
import { applyHandOffRules } from '../../features/hand-offs/apply-rules.ts';
import type { HandOffsDeps } from '../../features/hand-offs/deps.ts';
import { delayHandOff, findDueHandOffs } from '../../store/hand-offs/queue.ts';
import { createLookLoop, type LookLoop, type WhenDue } from '../look-loop.ts';

const LOOK_MS = 1_000;
/** One run of the loop handles at most this many hand-offs, and the next run follows immediately. */
const BATCH = 50;
/** The delay of a hand-off that failed, so that other hand-offs run first. */
const RETRY_SECONDS = 60;

/**
 * Applies the rules of organizations to hand-offs, each in a short transaction. A crash leaves either a whole
 * assignment or nothing. If two workers process the same hand-off, the second worker finds it done, so no lease is
 * needed.
 */
export function createHandOffWorker({
  log,
  whenDue,
  onApplied,
  ...deps
}: HandOffsDeps & { log: Logger; whenDue?: WhenDue; onApplied(): void }): Pick<LookLoop, 'start' | 'wake' | 'stop'> {
  const loop = createLookLoop({
    failure: 'the worker cannot read hand-offs; it tries again',
    log,
    pollMs: LOOK_MS,
    whenDue,
    look: async () => {
      const due = await findDueHandOffs(deps.db, BATCH);
      for (const one of due) {
        if (loop.isStopping()) break;
        try {
          if (await applyHandOffRules(deps, one)) onApplied();
        } catch (error) {
          log.warn({ err: error, conversation_id: one.conversationId }, 'the rules for a hand-off failed; tried again');
          await delayHandOff(deps.db, one, RETRY_SECONDS);
        }
      }
      return due.length === BATCH;
    },
  });
  return loop;
}
