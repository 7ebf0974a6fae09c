import type { ChildProcess } from 'node:child_process';
import { availableParallelism, constants, totalmem } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { findBinaries } from './binaries.ts';
import { ensureCluster, prepareDataFolder } from './data-folder.ts';
import { type DataLock, lockDataFolder } from './data-lock.ts';
import { chooseRunAs } from './run-as.ts';
import {
  type ServerLog,
  findPostmaster,
  removeSocketFolder,
  signal,
  socketFolder,
  startServer,
  stopProcess,
} from './server.ts';

/**
 * A real PostgreSQL runs as a child process, on a Unix socket in the data folder, with full durability. The database
 * stops together with Parley. If Parley is killed, the database keeps running. The next start of Parley stops the
 * running database cleanly before it starts a database, so there is only one way to start. If the database's main
 * process dies, Parley restarts the database.
 */
export type EmbeddedPostgres = {
  /** The URL for the program, with a role that owns only its database. */
  url: string;
  /** The URL for creating databases (tests) and for physical backups. */
  adminUrl: string;
  /** True if this start of Parley has created the database. */
  fresh: boolean;
  pid(): number;
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

export type EmbeddedOptions = {
  dataDir: string;
  log: ServerLog;
  /** The settings override Parley's own settings in postgresql.conf. */
  tuning?: Record<string, string>;
};

const MAX_RESTART_PAUSE_MS = 5_000;
const ROLE = 'parley';
const DATABASE = 'parley';

export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const { log } = options;
  const dataDir = path.resolve(options.dataDir);
  const binaries = findBinaries();
  prepareDataFolder(dataDir);
  const runAs = chooseRunAs(dataDir, binaries.folder);
  const lock = await lockDataFolder(dataDir);
  const settle = leaveCleanlyOnSignals(dataDir, lock);
  let socketDir = '';
  let child: ChildProcess | undefined;
  try {
    await stopOrphan(dataDir, log);
    await ensureCluster(dataDir, binaries, runAs);
    socketDir = await socketFolder(dataDir, runAs);
    const settings = { ...serverSettings(), ...options.tuning, unix_socket_directories: socketDir };
    const start = (): Promise<ChildProcess> => startServer(dataDir, binaries, runAs, settings, log);
    child = await start();
    const fresh = await ensureDatabase(socketUrl(socketDir, 'postgres', 'postgres'));
    const running = supervise(child, start, log, () => {
      removeSocketFolder(socketDir);
      lock.release();
    });
    return {
      url: socketUrl(socketDir, ROLE, DATABASE),
      adminUrl: socketUrl(socketDir, 'postgres', 'postgres'),
      fresh,
      ...running,
      [Symbol.asyncDispose]: () => running.stop(),
    };
  } catch (error) {
    if (child?.pid) await stopProcess(child.pid, log);
    if (socketDir) removeSocketFolder(socketDir);
    lock.release();
    throw error;
  } finally {
    settle();
  }
}

/** Until the program has its own handlers, a signal would end the program without stopping the starting database. */
function leaveCleanlyOnSignals(dataDir: string, lock: DataLock): () => void {
  const abandon = (): void => {
    const started = findPostmaster(dataDir);
    if (started) signal(started.pid, 'SIGINT');
    lock.release();
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  process.once('exit', abandon);
  for (const name of signals) process.once(name, leave);
  return () => {
    process.off('exit', abandon);
    for (const name of signals) process.off(name, leave);
  };
}

const leave = (name: NodeJS.Signals): void => process.exit(128 + constants.signals[name]);

/** For commands that use the database of a running Parley: the URL of the database that runs on this data, or null. */
export function findRunningPostgres(dataDir: string): string | null {
  const running = findPostmaster(path.resolve(dataDir));
  return running ? socketUrl(running.socketDir, ROLE, DATABASE) : null;
}

/**
 * A killed Parley leaves its database running. This process holds the lock, so no other process uses the running
 * database.
 */
async function stopOrphan(dataDir: string, log: ServerLog): Promise<void> {
  const orphan = findPostmaster(dataDir);
  if (!orphan) return;
  log.info('The last process of Parley on this data was killed. Its database is stopped cleanly first.');
  await stopProcess(orphan.pid, log);
  if (orphan.socketDir) removeSocketFolder(orphan.socketDir);
}

/** Restarts the database server if it dies, and stops the server when this process ends, even abruptly. */
function supervise(
  first: ChildProcess,
  start: () => Promise<ChildProcess>,
  log: ServerLog,
  release: () => void,
): { pid(): number; stop(): Promise<void> } {
  let child = first;
  let stopping: Promise<void> | undefined;
  const watch = (): void => {
    child.unref();
    child.once('exit', (code, by) => {
      if (stopping) return;
      log.error(`The database ended unexpectedly (${by ?? `code ${code}`}); it is being started again.`);
      void restart();
    });
    if (child.exitCode !== null || child.signalCode !== null) void restart();
  };
  const restart = async (): Promise<void> => {
    for (let pause = 100; ; pause = Math.min(pause * 2, MAX_RESTART_PAUSE_MS)) {
      if (stopping) return;
      try {
        child = await start();
        log.info('The database is running again.');
        return stopping ? signal(child.pid!, 'SIGINT') : watch();
      } catch (error) {
        // Child processes of the dead server may still use the shared memory. Child processes of the dead server end
        // within moments.
        log.warn(`The database did not start again yet: ${(error as Error).message}`);
        await sleep(pause);
      }
    }
  };
  const atExit = (): void => {
    if (child.exitCode === null && child.pid) signal(child.pid, 'SIGINT');
    release();
  };
  process.once('exit', atExit);
  watch();
  const stop = async (): Promise<void> => {
    await stopProcess(child.pid!, log);
    process.off('exit', atExit);
    release();
  };
  return { pid: () => child.pid!, stop: () => (stopping ??= stop()) };
}

/** Returns true if the database was just created. */
async function ensureDatabase(adminUrl: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ role: boolean; database: boolean }>(
      `SELECT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = '${ROLE}') AS role,
              EXISTS (SELECT 1 FROM pg_database WHERE datname = '${DATABASE}') AS database`,
    );
    if (!rows[0]!.role) await client.query(`CREATE ROLE ${ROLE} LOGIN`);
    if (!rows[0]!.database) await client.query(`CREATE DATABASE ${DATABASE} OWNER ${ROLE}`);
    return !rows[0]!.database;
  } finally {
    await client.end();
  }
}

const socketUrl = (folder: string, role: string, database: string): string =>
  `postgresql://${role}@localhost/${database}?host=${encodeURIComponent(folder)}`;

/**
 * The settings give full durability (fsync, synchronous commit, full pages) and suit one busy program on one machine.
 * Queue tables need frequent vacuuming. Parley reports statement errors with their request. The server does not log
 * them, so its log contains no personal data and stays small.
 */
function serverSettings(): Record<string, string> {
  return {
    listen_addresses: '',
    unix_socket_permissions: '0700',
    max_connections: '200',
    shared_buffers: totalmem() >= 2 * 1024 ** 3 ? '256MB' : '64MB',
    work_mem: '8MB',
    maintenance_work_mem: '128MB',
    wal_buffers: '16MB',
    max_wal_size: '4GB',
    min_wal_size: '256MB',
    checkpoint_timeout: '5min',
    random_page_cost: '1.1',
    jit: 'off',
    // Parallel plans need /dev/shm, which is small in containers. No query of Parley needs parallel plans.
    max_parallel_workers_per_gather: '0',
    max_worker_processes: String(Math.max(2, availableParallelism())),
    autovacuum_naptime: '10s',
    autovacuum_vacuum_scale_factor: '0.05',
    autovacuum_analyze_scale_factor: '0.05',
    autovacuum_vacuum_cost_limit: '2000',
    client_connection_check_interval: '10s',
    idle_in_transaction_session_timeout: '5min',
    log_min_messages: 'log',
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
    log_checkpoints: 'off',
    log_autovacuum_min_duration: '-1',
    log_line_prefix: '%m [%p] ',
    cluster_name: 'parley',
  };
}
