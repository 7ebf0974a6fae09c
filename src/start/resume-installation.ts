import { createLogger } from '../kernel/log.ts';
import { openDb } from '../store/db.ts';
import { resumeInstallation } from '../store/installation/pause.ts';
import { joinDatabase } from './open-database.ts';
import { readConfig } from './read-config.ts';

/**
 * Ends the pause after a restore. Running processes notice the end of the pause within a second. The command prints its
 * result as JSON.
 */
export async function runResume(): Promise<void> {
  const config = readConfig((text) => void process.stderr.write(`${text}\n`), { mustExist: true });
  const database = await joinDatabase(config, createLogger({ level: 'warn', pretty: false }));
  const db = openDb(database.url);
  try {
    process.stdout.write(`${JSON.stringify({ resumed: await resumeInstallation(db) })}\n`);
  } finally {
    await db.$client.end();
    await database.stop();
  }
}
