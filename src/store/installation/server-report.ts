import type pg from 'pg';

/** Facts about a database server, read for the operator. The report only reads and changes nothing. */
export type ServerReport = {
  version: number;
  /** The settings that a new connection of this role has without Parley's own settings. */
  settings: Readonly<Record<(typeof NAMES)[number], string>>;
  encoding: string;
  now: Date;
  roundTripMs: number;
  /** Connected standbys and other receivers of the write-ahead log. */
  standbys: number;
  connections: number;
  /** The number of running Parley processes. Null before the first start. */
  processes: number | null;
  /** The time at which the installation was paused. Null if the installation is not paused. */
  pausedAt: string | null;
  /** The tables with rows that were never analyzed, the largest table first. */
  neverAnalyzed: { name: string; rows: number }[];
  checkpoints: { requested: number; timed: number };
};

const NAMES = [
  'server_version',
  'fsync',
  'full_page_writes',
  'synchronous_commit',
  'synchronous_standby_names',
  'autovacuum',
  'jit',
  'max_connections',
  'superuser_reserved_connections',
  'max_wal_size',
] as const;
const PROBES = 5;
/** A table with fewer rows is fast without statistics. */
const ROWS = 1_000;
/** Since PostgreSQL 17, checkpoints have a separate view. */
const CHECKPOINTER = 170_000;

export async function readServerReport(client: pg.ClientBase): Promise<ServerReport> {
  const roundTripMs = await fastestRoundTrip(client);
  const version = await one<{ n: number }>(client, `SELECT current_setting('server_version_num')::int AS n`);
  const facts = await one<
    Omit<ServerReport, 'version' | 'settings' | 'processes' | 'pausedAt' | 'checkpoints' | 'roundTripMs'>
  >(
    client,
    `SELECT clock_timestamp() AS now,
       pg_encoding_to_char(encoding) AS encoding,
       (SELECT count(*)::int FROM pg_stat_replication) AS standbys,
       (SELECT count(*)::int FROM pg_stat_activity WHERE backend_type = 'client backend') AS connections,
       (SELECT coalesce(json_agg(t), '[]') FROM (
         SELECT relname AS name, n_live_tup::int AS rows FROM pg_stat_user_tables
         WHERE n_live_tup >= ${ROWS} AND last_analyze IS NULL AND last_autoanalyze IS NULL
         ORDER BY n_live_tup DESC LIMIT 5) t) AS "neverAnalyzed"
     FROM pg_database WHERE datname = current_database()`,
  );
  const settings = await one<{ all: ServerReport['settings'] }>(
    client,
    // `reset_val` ignores the settings that this connection has set.
    `SELECT json_object_agg(name, CASE name WHEN 'max_wal_size' THEN setting ELSE reset_val END) AS all
     FROM pg_settings WHERE name = ANY ('{${NAMES.join(',')}}')`,
  );
  return {
    ...facts,
    version: version.n,
    settings: settings.all,
    roundTripMs,
    processes: await countProcesses(client),
    pausedAt: await readPause(client),
    checkpoints: await one(
      client,
      version.n >= CHECKPOINTER
        ? 'SELECT num_requested::int AS requested, num_timed::int AS timed FROM pg_stat_checkpointer'
        : 'SELECT checkpoints_req::int AS requested, checkpoints_timed::int AS timed FROM pg_stat_bgwriter',
    ),
  };
}

async function fastestRoundTrip(client: pg.ClientBase): Promise<number> {
  let fastest = Infinity;
  for (let probe = 0; probe < PROBES; probe += 1) {
    const from = performance.now();
    await client.query('SELECT 1');
    fastest = Math.min(fastest, performance.now() - from);
  }
  return fastest;
}

async function countProcesses(client: pg.ClientBase): Promise<number | null> {
  const { known } = await one<{ known: boolean }>(client, `SELECT to_regclass('running_process') IS NOT NULL AS known`);
  if (!known) return null;
  const counted = `SELECT count(*)::int AS many FROM running_process WHERE seen_at > now() - interval '15 seconds'`;
  return (await one<{ many: number }>(client, counted)).many;
}

/** Read as JSON, because an older schema has no such column. */
async function readPause(client: pg.ClientBase): Promise<string | null> {
  const { known } = await one<{ known: boolean }>(client, `SELECT to_regclass('installation') IS NOT NULL AS known`);
  if (!known) return null;
  const found = `SELECT (SELECT to_jsonb(i) ->> 'paused_at' FROM installation i) AS since`;
  return (await one<{ since: string | null }>(client, found)).since;
}

async function one<Row extends pg.QueryResultRow>(client: pg.ClientBase, text: string): Promise<Row> {
  const { rows } = await client.query<Row>(text);
  return rows[0]!;
}
