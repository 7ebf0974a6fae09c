import { newId } from '../kernel/ids.ts';
import type { Logger } from '../kernel/log.ts';
import type { Db } from '../store/db.ts';
import { forgetProcess, SEEN_EVERY_MS, seeProcess } from '../store/installation/processes.ts';

type Deps = { db: Db; newestGeneration: number; log: Logger };

/**
 * Stores in the database that this process runs, and which PARLEY_SECRET and which change of the cells are the newest
 * that it knows.
 */
export function createRunningProcess({ db, newestGeneration, log }: Deps) {
  const id = newId('node');
  let timer: NodeJS.Timeout | undefined;
  const see = async () => {
    await db.$client.refreshCells();
    await seeProcess(db, id, newestGeneration, db.$client.directory.version());
  };
  return {
    start: async () => {
      await see();
      timer = setInterval(() => {
        see().catch((error: unknown) => log.debug({ err: error }, 'the row of this process could not be written'));
      }, SEEN_EVERY_MS);
    },
    stop: async () => {
      clearInterval(timer);
      await forgetProcess(db, id).catch(() => {});
    },
  };
}
