import { createLogger } from '../kernel/log.ts';
import { StartError } from '../kernel/start-error.ts';
import { backup } from '../store/backup.ts';
import { findRunningPostgres } from '../store/embedded/start-embedded-postgres.ts';
import { restore } from '../store/restore.ts';
import { openDatabase } from './open-database.ts';
import { readConfig } from './read-config.ts';

const warn = (text: string): void => void process.stderr.write(`${text}\n`);

/** Beside a running server, or by itself. Prints what it made as JSON. */
export async function runBackup(file: string | undefined): Promise<void> {
  const config = readConfig(warn);
  const running = config.databaseUrl ?? findRunningPostgres(config.dataDir);
  const database =
    running === null
      ? await openDatabase(config, createLogger({ level: 'warn', pretty: false }))
      : { url: running, stop: async () => {} };
  try {
    const { rows } = await backup(database.url, named(file));
    process.stdout.write(`${JSON.stringify({ file, rows })}\n`);
  } finally {
    await database.stop();
  }
}

export async function runRestore(file: string | undefined, keepKeys: boolean): Promise<void> {
  const database = await openDatabase(readConfig(warn), createLogger({ level: 'warn', pretty: false }));
  try {
    process.stdout.write(`${JSON.stringify({ file, ...(await restore(database.url, named(file), { keepKeys })) })}\n`);
  } finally {
    await database.stop();
  }
}

function named(file: string | undefined): string {
  if (file) return file;
  throw new StartError('No file is named.', 'Name one: ./parley backup FILE, ./parley restore FILE.');
}
