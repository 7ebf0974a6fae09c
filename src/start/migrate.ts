import { createLogger } from '../kernel/log.ts';
import { openDatabase } from './open-database.ts';
import { readConfig } from './read-config.ts';

/** Migrates the database to this program's schema and exits. */
export async function runMigrate(): Promise<void> {
  const config = readConfig((text) => process.stderr.write(`${text}\n`));
  const database = await openDatabase(config, createLogger({ level: 'warn', pretty: process.stdout.isTTY }));
  await database.stop();
  process.stdout.write('The database is up to date.\n');
}
