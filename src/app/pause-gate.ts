import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type Service, startAll, stopAll } from './service.ts';

/** A paused process checks for the end of the pause at this interval. */
const LOOK_MS = 1_000;

type Deps = { isPaused(): Promise<boolean>; log: Logger; lookMs?: number };

/**
 * Starts the workers when the installation is not paused. During the pause, no worker claims work, so nothing is sent,
 * and accepted calls wait in the queues. Only a restore pauses an installation, before the first process starts on it.
 * Workers that have started need not check for a pause again.
 */
export function createPauseGate({ isPaused, log, lookMs = LOOK_MS }: Deps, workers: readonly Service[]): Service {
  const stopping = new AbortController();
  let opened = false;
  let opening: Promise<void> = Promise.resolve();

  async function open(): Promise<void> {
    opened = true;
    await startAll(workers);
  }

  async function openLater(): Promise<void> {
    while (await isPausedOrUnknown()) {
      await sleep(lookMs, undefined, { signal: stopping.signal }).catch(() => {});
      if (stopping.signal.aborted) return;
    }
    log.info('the installation is resumed: the workers start');
    await open();
  }

  const isPausedOrUnknown = (): Promise<boolean> =>
    isPaused().catch((error: unknown) => {
      log.warn({ err: error }, 'the end of the pause cannot be looked for; it is tried again');
      return true;
    });

  return {
    start: async () => {
      if (!(await isPaused())) return open();
      log.warn('the installation is paused: nothing is sent until ./parley resume');
      opening = openLater();
    },
    stop: async () => {
      stopping.abort();
      await opening;
      if (opened) await stopAll(workers);
    },
  };
}
