import { type Environment, loadDatabasePlace } from '../config/config.ts';
import { withClient } from '../store/db.ts';
import { findRunningPostgres } from '../store/embedded/start-embedded-postgres.ts';
import { readServerReport } from '../store/installation/server-report.ts';
import { type Finding, judgeServer } from './judge-server.ts';
import { insistOnSessions, reasonOf, withoutPassword } from './open-database.ts';

/** For `./parley doctor`: checks the database of this environment. It changes nothing. */
export async function checkDatabase(env?: Environment): Promise<Finding[]> {
  const { dataDir, databaseUrl, fault } = loadDatabasePlace(env);
  if (fault) return [{ name: 'database', status: 'fail', detail: `DATABASE_URL ${fault.fault}.`, cure: fault.cure }];
  const url = databaseUrl ?? findRunningPostgres(dataDir);
  if (url === null)
    return [{ name: 'database', status: 'skipped', detail: 'The embedded database does not run in this DATA_DIR.' }];
  const place = databaseUrl === null ? 'the embedded server' : withoutPassword(url);
  try {
    await insistOnSessions(url);
    const report = await withClient(url, 'doctor', readServerReport);
    return judgeServer(report, { place, here: new Date() });
  } catch (error) {
    return [
      {
        name: 'database',
        status: 'fail',
        detail: `${place} cannot be used: ${reasonOf(error)}.`,
        cure: 'Check that the server is running, and that DATABASE_URL names an existing database and a role of it.',
      },
    ];
  }
}
