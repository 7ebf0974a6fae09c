import { loadDatabasePlace } from '../config/config.ts';
import type { Environment } from '../config/environment.ts';
import { readClusterReport } from '../store/cells/cluster-report.ts';
import { withClient } from '../store/db.ts';
import { findRunningPostgres } from '../store/embedded/start-embedded-postgres.ts';
import { readServerReport } from '../store/installation/server-report.ts';
import { judgeCluster } from './judge-cluster.ts';
import { type Finding, judgeServer } from './judge-server.ts';
import { checkPooler, insistOnSessions, reasonOf, withoutPassword } from './open-database.ts';

/** Checks the database of this environment for `./parley doctor`. The check changes nothing. */
export async function checkDatabase(env?: Environment): Promise<Finding[]> {
  const { dataDir, databaseUrl, poolerUrl, fault } = loadDatabasePlace(env);
  if (fault) return [{ name: 'database', status: 'fail', detail: `${fault.variable} ${fault.fault}.`, fix: fault.fix }];
  const url = databaseUrl ?? findRunningPostgres(dataDir);
  if (url === null)
    return [{ name: 'database', status: 'skipped', detail: 'The embedded database does not run in this DATA_DIR.' }];
  const place = databaseUrl === null ? 'the embedded server' : withoutPassword(url);
  try {
    await insistOnSessions(url);
    const report = await withClient(url, 'doctor', readServerReport);
    const cluster = await withClient(url, 'doctor', readClusterReport);
    const findings = [
      ...judgeServer(report, { place, here: new Date() }),
      ...(cluster === null ? [] : judgeCluster(cluster)),
    ];
    return poolerUrl === null ? findings : [...findings, await judgePooler(url, poolerUrl)];
  } catch (error) {
    return [
      {
        name: 'database',
        status: 'fail',
        detail: `${place} cannot be used: ${reasonOf(error)}.`,
        fix: 'Check that the server is running, and that DATABASE_URL names an existing database and a role of it.',
      },
    ];
  }
}

async function judgePooler(direct: string, poolerUrl: string): Promise<Finding> {
  const { differing, keepsPrepared } = await checkPooler(direct, poolerUrl);
  const name = 'pooler';
  const plans = keepsPrepared ? 'plans are kept' : 'each statement is planned again';
  const detail = `Requests and workers use ${withoutPassword(poolerUrl)}; ${plans}.`;
  if (differing.length === 0) return { name, status: 'ok', detail };
  return {
    name,
    status: 'warn',
    detail: `${detail} Sessions of the pooler have other settings: ${differing.join(', ')}.`,
    fix: 'Start a node, which stores the settings. After the node has started, run RECONNECT in the console of the pooler.',
  };
}
