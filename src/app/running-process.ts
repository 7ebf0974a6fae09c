import { newId } from '../kernel/ids.ts';
import type { Logger } from '../kernel/log.ts';
import { StartError } from '../kernel/start-error.ts';
import type { Db } from '../store/db.ts';
import { readSecretGeneration } from '../store/installation/installation.ts';
import { forgetProcess, SEEN_EVERY_MS, seeProcess } from '../store/installation/processes.ts';

/** With several cells, a process looks for an organization that is being moved at this interval. */
const LOOK_EVERY_MS = 250;

type Deps = { db: Db; newestGeneration: number; log: Logger };

/**
 * Stores in the database that this process runs, its newest PARLEY_SECRET, and the newest change of the cells that it
 * has read.
 */
export function createRunningProcess({ db, newestGeneration, log }: Deps) {
  const id = newId('node');
  let timer: NodeJS.Timeout | undefined;
  let cellTimer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | null = null;
  const write = () => seeProcess(db, id, newestGeneration, db.$client.directory.version());
  const see = async () => {
    await db.$client.refreshCells();
    await write();
  };
  const look = async () => {
    if (await db.$client.pulseCells()) await write();
  };
  return {
    start: async () => {
      await see();
      if ((await readSecretGeneration(db)) > newestGeneration) {
        await forgetProcess(db, id);
        throw new StartError(
          'PARLEY_SECRET was rotated while this process started.',
          'Start this process again with the new PARLEY_SECRET (docs/operations.md).',
        );
      }
      timer = setInterval(() => {
        see().catch((error: unknown) => log.debug({ err: error }, 'the row of this process could not be written'));
      }, SEEN_EVERY_MS);
      cellTimer = setInterval(() => {
        // Only one query is in progress at a time, even with a slow database.
        looking ??= look()
          .catch((error: unknown) => log.debug({ err: error }, 'the changes of cells could not be read'))
          .finally(() => (looking = null));
      }, LOOK_EVERY_MS);
    },
    stop: async () => {
      clearInterval(timer);
      clearInterval(cellTimer);
      await looking;
      await forgetProcess(db, id).catch(() => {});
    },
  };
}
