import type { ServerReport } from '../store/installation/server-report.ts';

/** One result of the doctor's database check, with a `fix` if the operator should act. */
export type Finding = {
  name: string;
  status: 'ok' | 'warn' | 'fail' | 'skipped';
  detail: string;
  fix?: string;
};

const OLDEST_SERVER = 150_000;
/** Each response that reads the database waits for at least one round trip. */
const SLOW_ROUND_TRIP_MS = 5;
const MAX_CLOCK_SKEW_MS = 5_000;
/** The page docs/operations.md contains this number. */
const CONNECTIONS_OF_A_PROCESS = 19;
/** Fewer checkpoints are normal, because a bulk load causes some. */
const CHECKPOINTS = 20;

type Place = { place: string; here: Date };

/** Lists the problems and costs that follow from the server's state. */
export function judgeServer(report: ServerReport, at: Place): Finding[] {
  return [
    judgeVersion(report, at),
    judgeDurability(report),
    judgeReplication(report),
    judgeClock(report, at),
    judgeConnections(report),
    judgeStatistics(report),
    judgeCheckpoints(report),
    judgePause(report),
    {
      name: 'sessions',
      status: 'ok',
      detail: `Each connection keeps its session and sets its own session settings (the server has jit = ${report.settings.jit}).`,
    },
  ];
}

function judgePause({ pausedAt }: ServerReport): Finding {
  const name = 'sending';
  if (pausedAt === null) return { name, status: 'ok', detail: 'The installation is not paused.' };
  const detail = `The installation is paused since ${pausedAt}: it sends nothing, and accepted calls wait.`;
  const fix = 'Run "./parley resume" when this copy replaces the original.';
  return { name, status: 'warn', detail, fix };
}

function judgeVersion({ version, settings, encoding, roundTripMs }: ServerReport, { place }: Place): Finding {
  const name = 'database';
  const detail = `PostgreSQL ${settings.server_version} at ${place}; a round trip takes ${roundTripMs.toFixed(1)} ms.`;
  if (version < OLDEST_SERVER) return { name, status: 'fail', detail, fix: 'Upgrade to PostgreSQL 15 or newer.' };
  if (encoding !== 'UTF8') {
    const fix = "Create the database with ENCODING 'UTF8': names and messages are in all scripts.";
    return { name, status: 'fail', detail: `${detail} Its encoding is ${encoding}.`, fix };
  }
  if (roundTripMs <= SLOW_ROUND_TRIP_MS) return { name, status: 'ok', detail };
  const fix =
    'Run the nodes close to the database: each response that uses the database waits for several round trips.';
  return { name, status: 'warn', detail, fix };
}

function judgeDurability({ settings }: ServerReport): Finding {
  const name = 'durability';
  const off = (['fsync', 'full_page_writes'] as const).filter((setting) => settings[setting] === 'off');
  if (off.length > 0) {
    const detail = `${off.join(' and ')} is off: a power cut can damage the database, and lose accepted calls and revokes.`;
    return { name, status: 'fail', detail, fix: `Set ${off.map((setting) => `${setting} = on`).join(', ')}.` };
  }
  if (settings.synchronous_commit === 'off') {
    const detail =
      'synchronous_commit is off. Parley turns it on for its own connections: each commit waits for the disk.';
    return { name, status: 'ok', detail };
  }
  return {
    name,
    status: 'ok',
    detail: `A commit waits for the disk (synchronous_commit = ${settings.synchronous_commit}).`,
  };
}

function judgeReplication({ settings, standbys }: ServerReport): Finding {
  const name = 'replication';
  const names = settings.synchronous_standby_names;
  const connected = `${standbys} ${standbys === 1 ? 'standby is' : 'standbys are'} connected`;
  if (names === '') {
    if (standbys === 0) {
      const detail = 'No standby: when the disk is lost, everything since the last backup is lost.';
      return { name, status: 'ok', detail };
    }
    const detail = `${connected}, and none is synchronous: a failover can lose accepted calls, and revoked keys can work again.`;
    return {
      name,
      status: 'warn',
      detail,
      fix: 'Set synchronous_standby_names, which costs one round trip per batch of calls.',
    };
  }
  if (standbys === 0) {
    const detail = `synchronous_standby_names is '${names}', and no standby is connected: commits wait for it.`;
    return { name, status: 'fail', detail, fix: 'Start the standby, or empty synchronous_standby_names.' };
  }
  if (settings.synchronous_commit === 'local') {
    const detail = `synchronous_standby_names is '${names}', but synchronous_commit = local does not wait for it.`;
    return { name, status: 'warn', detail, fix: 'Set synchronous_commit = on.' };
  }
  return { name, status: 'ok', detail: `Commits wait for '${names}'; ${connected}.` };
}

function judgeClock({ now }: ServerReport, { here }: Place): Finding {
  const skew = Math.abs(now.getTime() - here.getTime());
  const name = 'database clock';
  if (skew <= MAX_CLOCK_SKEW_MS)
    return { name, status: 'ok', detail: 'The clock of the database agrees with the clock of this machine.' };
  const detail = `The clock of the database differs from the clock of this machine by ${Math.round(skew / 1000)} s.`;
  return { name, status: 'warn', detail, fix: 'Synchronize both clocks with a time server (NTP).' };
}

function judgeConnections({ settings, connections, processes }: ServerReport): Finding {
  const name = 'connections';
  const room = Number(settings.max_connections) - Number(settings.superuser_reserved_connections);
  const needed = (processes ?? 1) * CONNECTIONS_OF_A_PROCESS;
  const running = processes === null || processes === 1 ? 'one process' : `${processes} processes`;
  const detail = `${connections} of ${room} are open; ${running} of Parley can need ${needed}.`;
  if (needed <= room) return { name, status: 'ok', detail };
  return {
    name,
    status: 'warn',
    detail,
    fix: 'Raise max_connections and restart the server: calls without a connection get 503.',
  };
}

function judgeStatistics({ settings, neverAnalyzed }: ServerReport): Finding {
  const name = 'statistics';
  if (settings.autovacuum === 'off') {
    const detail = 'autovacuum is off: queues and tables grow without end, and plans are made without statistics.';
    return { name, status: 'fail', detail, fix: 'Set autovacuum = on.' };
  }
  if (neverAnalyzed.length === 0) return { name, status: 'ok', detail: 'Tables with rows have statistics.' };
  const tables = neverAnalyzed.map((table) => table.name).join(', ');
  const detail = `Never analyzed: ${tables}. Plans for these tables are guesses, and pages can be slow.`;
  return {
    name,
    status: 'warn',
    detail,
    fix: 'Run ANALYZE once, for example after a restore: psql "$DATABASE_URL" -c ANALYZE',
  };
}

function judgeCheckpoints({ settings, checkpoints: { requested, timed } }: ServerReport): Finding {
  const name = 'checkpoints';
  const detail = `${requested} because max_wal_size was reached, ${timed} by the clock.`;
  if (requested < CHECKPOINTS || requested <= timed) return { name, status: 'ok', detail };
  return {
    name,
    status: 'warn',
    detail: `${detail} After each, pages are written whole into the WAL once more.`,
    fix: `Raise max_wal_size (now ${settings.max_wal_size} MB), for example to 4GB.`,
  };
}
