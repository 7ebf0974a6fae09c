import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { clusterFolder } from '../../src/store/embedded/data-folder.ts';
import { chooseRunAs } from '../../src/store/embedded/run-as.ts';
import { startServer, stopProcess } from '../../src/store/embedded/server.ts';
import { migrate } from '../../src/store/migrate.ts';
import { freePort } from '../program.ts';

/** A coordinator and two workers of Citus, with a migrated database that has two cells, one on each worker. */
export type CitusCluster = { url: string; nodes: readonly CitusNode[]; stop(): Promise<void> };
export type CitusNode = {
  url: string;
  port: number;
  adminUrl: string;
  dataDir: string;
  /** SIGKILL, to all processes of the server. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** SIGSTOP and SIGCONT, to all processes of the server. */
  pause(): void;
  resume(): void;
};

export const CELLS = ['cell_2', 'cell_3'];
const WORKERS = 2;
const SETTINGS = {
  listen_addresses: '127.0.0.1',
  fsync: 'off',
  shared_buffers: '64MB',
  wal_level: 'logical',
  shared_preload_libraries: 'citus',
  max_prepared_transactions: '400',
  max_connections: '400',
  max_wal_senders: '20',
  max_replication_slots: '20',
  recovery_init_sync_method: 'syncfs',
  ...(process.env.CITUS_LOGS && { logging_collector: 'on', log_directory: process.env.CITUS_LOGS }),
  'citus.enable_unsafe_triggers': 'on',
  'citus.node_conninfo': 'sslmode=disable',
  'citus.enable_statistics_collection': 'off',
};
const quiet = { info: () => {}, warn: () => {}, error: () => {} };

export async function startCitus(tree: string): Promise<CitusCluster> {
  const root = mkdtempSync(path.join(tmpdir(), 'parley-citus-'));
  chmodSync(root, 0o711);
  const stops: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    for (const end of stops.splice(0)) await end();
    rmSync(root, { recursive: true, force: true });
  };
  try {
    const nodes = [];
    for (let n = 0; n <= WORKERS; n++) nodes.push(await startNode(tree, path.join(root, `node-${n}`), stops));
    const [coordinator, ...workers] = nodes as [CitusNode, ...CitusNode[]];
    await inDatabase(coordinator.url, async (client) => {
      await client.query(`SELECT citus_set_coordinator_host('127.0.0.1', $1)`, [coordinator.port]);
      for (const { port } of workers) await client.query(`SELECT citus_add_node('127.0.0.1', $1)`, [port]);
    });
    await migrate(coordinator.url, CELLS.length);
    return { url: coordinator.url, nodes, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startNode(tree: string, dataDir: string, stops: (() => Promise<void>)[]): Promise<CitusNode> {
  const folder = path.join(tree, 'usr/lib/postgresql/15/bin');
  mkdirSync(dataDir, { mode: 0o711 });
  const runAs = chooseRunAs(dataDir, folder);
  const cluster = clusterFolder(dataDir);
  mkdirSync(cluster, { mode: 0o700 });
  const as = runAs.how === 'same' ? {} : { uid: runAs.uid, gid: runAs.gid };
  if (runAs.how !== 'same') chownSync(cluster, runAs.uid, runAs.gid);
  const initdb = path.join(folder, 'initdb');
  const options = ['-D', cluster, '-U', 'parley', '--auth=trust', '-E', 'UTF8', '--locale=C.UTF-8'];
  execFileSync(initdb, options, { ...as, cwd: cluster, stdio: 'ignore' });
  const port = await freePort();
  const binaries = { folder, initdb, postgres: path.join(folder, 'postgres'), major: 15 };
  const settings = { ...SETTINGS, port: String(port), unix_socket_directories: cluster };
  let child = await startServer(dataDir, binaries, runAs, settings, quiet);
  stops.push(() => stopProcess(child.pid!, quiet));
  process.once('exit', () => void child.kill('SIGKILL'));
  const urlOf = (database: string): string => `postgresql://parley@127.0.0.1:${port}/${database}`;
  await inDatabase(urlOf('postgres'), (client) => client.query('CREATE DATABASE parley'));
  await inDatabase(urlOf('parley'), (client) => client.query('CREATE EXTENSION citus'));
  const tell = (signal: NodeJS.Signals): void => {
    for (const pid of [child.pid!, ...childrenOf(child.pid!)]) sendSignal(pid, signal);
  };
  return {
    url: urlOf('parley'),
    port,
    adminUrl: urlOf('postgres'),
    dataDir,
    kill: async () => {
      const gone = once(child, 'exit');
      tell('SIGKILL');
      await gone;
    },
    start: async () => void (child = await startServer(dataDir, binaries, runAs, settings, quiet)),
    pause: () => tell('SIGSTOP'),
    resume: () => tell('SIGCONT'),
  };
}

/** Each process of a server has its own session, so a signal to a process group would reach only one. */
const childrenOf = (pid: number): number[] =>
  readdirSync('/proc')
    .map(Number)
    .filter((one) => one > 0 && parentOf(one) === pid);

function parentOf(pid: number): number | null {
  try {
    return Number(/^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  } catch {
    return null;
  }
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended.
  }
}

export async function inDatabase<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
