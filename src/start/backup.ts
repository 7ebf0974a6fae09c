import { createLogger } from '../kernel/log.ts';
import { StartError } from '../kernel/start-error.ts';
import type { Config } from '../config/config.ts';
import { backup } from '../store/backup/backup.ts';
import { restore, type RestoreOptions } from '../store/backup/restore.ts';
import { isCitus } from '../store/cells/citus.ts';
import { DEFAULT_CELL } from '../store/cells/directory.ts';
import { listCells } from '../store/cells/list-cells.ts';
import { moveAll } from '../store/cells/move-all.ts';
import { openDb } from '../store/db.ts';
import { loadSecrets } from '../app/load-secrets.ts';
import { joinDatabase, openDatabase } from './open-database.ts';
import { readConfig } from './read-config.ts';

const warn = (text: string): void => void process.stderr.write(`${text}\n`);

/** The backup works next to a running server and without a server. The command prints its result as JSON. */
export async function runBackup(file: string | undefined): Promise<void> {
  const target = named(file);
  const config = readConfig(warn, { mustExist: true });
  const database = await joinDatabase(config, createLogger({ level: 'warn', pretty: false }));
  try {
    const { rows } = await backup(database.url, target);
    process.stdout.write(`${JSON.stringify({ file, rows })}\n`);
  } finally {
    await database.stop();
  }
}

export async function runRestore(file: string | undefined, options: RestoreOptions): Promise<void> {
  const source = named(file);
  const config = readConfig(warn);
  const database = await openDatabase(config, createLogger({ level: 'warn', pretty: false }));
  try {
    const restored = await restore(database.url, source, options);
    await divide(database.url);
    process.stdout.write(`${JSON.stringify({ file, ...restored })}\n`);
    if (!options.resume) warn('The copy is paused: it sends nothing until you run "./parley resume".');
    await checkSecretOf(database.url, config);
  } finally {
    await database.stop();
  }
}

/** On Citus, moves each organization into a cell on a worker, in one transaction. */
async function divide(url: string): Promise<void> {
  const db = openDb(url);
  try {
    const cells = await listCells(db);
    if (!(await isCitus(db.$client)) || cells.every(({ cell }) => cell === DEFAULT_CELL)) return;
    await moveAll(url, db, 'out of public', ({ organization, to }) => warn(`${organization}: restored in ${to}`));
  } catch (error) {
    warn('The backup is restored, but organizations are still in the cell "public": run "./parley cells enable 1".');
    throw error;
  } finally {
    await db.$client.end();
  }
}

/** The next start would refuse another secret, so the restore reports it now. */
async function checkSecretOf(url: string, config: Config): Promise<void> {
  const db = openDb(url);
  try {
    await loadSecrets(db, config);
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    warn(`${error.message} ${error.fix}`);
  } finally {
    await db.$client.end();
  }
}

function named(file: string | undefined): string {
  if (file) return file;
  throw new StartError('The file name is missing.', 'Use ./parley backup FILE or ./parley restore FILE.');
}
