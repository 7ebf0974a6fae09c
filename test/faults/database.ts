import { type ChildProcess, execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { findBinaries } from '../../src/store/embedded/binaries.ts';
import { clusterFolder, ensureCluster } from '../../src/store/embedded/data-folder.ts';
import { chooseRunAs } from '../../src/store/embedded/run-as.ts';
import { socketFolder, startServer } from '../../src/store/embedded/server.ts';
import { migrate } from '../../src/store/migrate.ts';
import { killAtExit } from './processes.ts';
import { elapsedSince } from './stalls.ts';

/**
 * A Postgres that can be stopped, killed and replaced by its standby. The test database uses the embedded programs
 * without the supervisor that would restart them. Connections use the database's socket, and each node has its own
 * proxy to this socket.
 */
export type FaultDatabase = {
  /** The address of the current primary, without a proxy. */
  socketPath: string;
  url: string;
  /**
   * Stops the database in the mode `fast`, which ends sessions and writes everything. Stops the database in the mode
   * `immediate`, which is like a crash.
   */
  restart(how: 'fast' | 'immediate', downMs: number): Promise<void>;
  /** Adds a replica, after which every commit is confirmed only when the replica has it. */
  addStandby(): Promise<void>;
  /** Kills the primary, so that its synchronous standby becomes the database. */
  failOver(): Promise<void>;
  stop(): void;
};

const quiet = { info: () => {}, warn: () => {}, error: () => {} };
/**
 * A test machine does not lose power, so the kernel keeps the data that a killed server has written. The checker needs
 * the commit times of transactions.
 */
const SETTINGS = {
  listen_addresses: '',
  unix_socket_permissions: '0777',
  fsync: 'off',
  shared_buffers: '64MB',
  max_connections: '150',
  jit: 'off',
  track_commit_timestamp: 'on',
  wal_keep_size: '256MB',
  cluster_name: 'parley faults',
};

type Server = { dataDir: string; socketDir: string; child: ChildProcess };

/** With `isEmpty`, the database is empty, and the first process creates the schema. */
export async function startFaultDatabase({ isEmpty = false } = {}): Promise<FaultDatabase> {
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-faults-'));
  chmodSync(folder, 0o711);
  const binaries = findBinaries();
  const servers: Server[] = [];
  let standby: Server | null = null;

  async function start(dataDir: string, more: Record<string, string> = {}): Promise<Server> {
    const runAs = chooseRunAs(dataDir, binaries.folder);
    await ensureCluster(dataDir, binaries, runAs);
    const socketDir = await socketFolder(dataDir, runAs);
    const settings = { ...SETTINGS, ...more, unix_socket_directories: socketDir };
    const server = { dataDir, socketDir, child: await startServer(dataDir, binaries, runAs, settings, quiet) };
    servers.push(server);
    killAtExit(server.child);
    return server;
  }

  let primary = await start(makeFolder(folder, 'primary'));
  await withClient(adminUrl(primary), async (client) => {
    await client.query('CREATE ROLE parley LOGIN');
    await client.query('CREATE DATABASE parley OWNER parley');
  });
  if (!isEmpty) await migrate(urlOf(primary));

  const database: FaultDatabase = {
    get socketPath() {
      return path.join(primary.socketDir, '.s.PGSQL.5432');
    },
    get url() {
      return urlOf(primary);
    },
    async restart(how, downMs) {
      await end(primary, how === 'fast' ? 'SIGINT' : 'SIGQUIT');
      await new Promise((resolve) => setTimeout(resolve, downMs));
      primary = await start(primary.dataDir);
    },
    async addStandby() {
      standby = await startStandby(primary, makeFolder(folder, `standby-${servers.length}`), start);
    },
    async failOver() {
      if (!standby) throw new Error('There is no standby.');
      await end(primary, 'SIGKILL');
      await withClient(adminUrl(standby), async (client) => {
        await client.query('SELECT pg_promote(true, 60)');
      });
      primary = standby;
      standby = null;
    },
    stop() {
      for (const { child } of servers) child.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return database;
}

function makeFolder(parent: string, name: string): string {
  const made = path.join(parent, name);
  execFileSync('mkdir', ['-m', '711', made]);
  return made;
}

/**
 * Copies the files of the primary while it runs. The copied server then follows the primary, and commits wait for the
 * copy.
 */
async function startStandby(
  primary: Server,
  dataDir: string,
  start: (dataDir: string, more?: Record<string, string>) => Promise<Server>,
): Promise<Server> {
  const cluster = clusterFolder(dataDir);
  return withClient(adminUrl(primary), async (client) => {
    await client.query(`SELECT pg_backup_start('standby', true)`);
    execFileSync('cp', ['-a', clusterFolder(primary.dataDir), cluster]);
    const stopped = await client.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop(false)');
    rmSync(path.join(cluster, 'postmaster.pid'), { force: true });
    writeFileSync(path.join(cluster, 'backup_label'), stopped.rows[0]!.labelfile);
    writeFileSync(path.join(cluster, 'standby.signal'), '');
    for (const name of ['backup_label', 'standby.signal'])
      execFileSync('chown', [`--reference=${cluster}`, path.join(cluster, name)]);
    const standby = await start(dataDir, {
      primary_conninfo: `host=${primary.socketDir} user=postgres application_name=standby`,
      hot_standby: 'on',
    });
    // The setting `synchronous_standby_names` is not in the primary's files, because the copy must not wait for its own
    // standby later.
    await client.query(`ALTER SYSTEM SET synchronous_standby_names = 'standby'`);
    await client.query('SELECT pg_reload_conf()');
    await until(async () => {
      const found = await client.query(`SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'`);
      return found.rows.length > 0;
    });
    return standby;
  });
}

async function end(server: Server, signal: NodeJS.Signals): Promise<void> {
  const { child } = server;
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill(signal);
  await ended;
}

export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end().catch(() => {});
  }
}

export async function until(holds: () => boolean | Promise<boolean>, withinMs = 30_000, what = 'it'): Promise<void> {
  for (const from = performance.now(); ;) {
    if (await holds()) return;
    if (elapsedSince(from).ms > withinMs) throw new Error(`${what} did not happen within ${withinMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

const urlFor = (role: string, database: string, { socketDir }: Server): string =>
  `postgresql://${role}@localhost/${database}?host=${encodeURIComponent(socketDir)}`;
const urlOf = (server: Server): string => urlFor('parley', 'parley', server);
const adminUrl = (server: Server): string => urlFor('postgres', 'postgres', server);
