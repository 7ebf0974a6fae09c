import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { clusterFolder } from '../../src/store/embedded/data-folder.ts';
import { chooseRunAs, spawnAs } from '../../src/store/embedded/run-as.ts';
import { startServer, stopProcess } from '../../src/store/embedded/server.ts';
import { migrate } from '../../src/store/migrate.ts';
import { startTcpProxy, type TcpProxy } from '../faults/tcp-proxy.ts';
import { freePort } from '../program.ts';

/** A coordinator and two workers of Citus, with a migrated database that has two cells, one on each worker. */
export type CitusCluster = {
  url: string;
  /** The first node is the coordinator. */
  nodes: readonly CitusNode[];
  addWorker(): Promise<CitusNode>;
  stop(): Promise<void>;
};
export type CitusNode = {
  url: string;
  /** Other nodes use this port. */
  port: number;
  adminUrl: string;
  socketPath: string;
  dataDir: string;
  /** The network between this worker and the other nodes, or null if the worker has no proxy. */
  proxy: TcpProxy | null;
  /** Returns all processes of the server. */
  pids(): number[];
  /** Sends SIGKILL to all processes of the server. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Sends SIGSTOP and SIGCONT to all processes of the server. */
  pause(): void;
  resume(): void;
};

export const CELLS = ['cell_2', 'cell_3'];
const WORKERS = 2;
const COMMON = {
  listen_addresses: '127.0.0.1',
  fsync: 'off',
  shared_buffers: '64MB',
  track_commit_timestamp: 'on',
  max_connections: '400',
  recovery_init_sync_method: 'syncfs',
};
const CITUS = {
  wal_level: 'logical',
  shared_preload_libraries: 'citus',
  max_prepared_transactions: '400',
  max_wal_senders: '20',
  max_replication_slots: '20',
  ...(process.env.CITUS_LOGS && { logging_collector: 'on', log_directory: process.env.CITUS_LOGS }),
  'citus.enable_unsafe_triggers': 'on',
  'citus.node_conninfo': 'sslmode=disable',
  'citus.enable_statistics_collection': 'off',
};
const quiet = { info: () => {}, warn: () => {}, error: () => {} };

export type CitusOptions = {
  cells?: number;
  /** Other nodes reach the workers through a proxy. */
  isProxied?: boolean;
  settings?: Record<string, string>;
};

export async function startCitus(tree: string, options: CitusOptions = {}): Promise<CitusCluster> {
  const { cells = CELLS.length, isProxied = false, settings = {} } = options;
  const root = createRoot();
  const nodes: CitusNode[] = [];
  const start = async (isWorker: boolean): Promise<CitusNode> => {
    const dataDir = path.join(root.folder, `node-${nodes.length}`);
    const node = await startNode(tree, dataDir, { ...CITUS, ...settings }, root.stops);
    await inDatabase(node.url, (client) => client.query('CREATE EXTENSION citus'));
    if (isWorker && isProxied) {
      node.proxy = await startTcpProxy({ host: '127.0.0.1', port: node.port });
      root.stops.push(node.proxy.close);
      node.port = node.proxy.port;
    }
    nodes.push(node);
    return node;
  };
  const addWorker = async (): Promise<CitusNode> => {
    const worker = await start(true);
    await inDatabase(nodes[0]!.url, (client) => client.query(`SELECT citus_add_node('127.0.0.1', $1)`, [worker.port]));
    return worker;
  };
  try {
    const { url, port } = await start(false);
    await inDatabase(url, (client) => client.query(`SELECT citus_set_coordinator_host('127.0.0.1', $1)`, [port]));
    for (let n = 0; n < WORKERS; n++) await addWorker();
    await migrate(url, cells);
    return { url, nodes, addWorker, stop: root.stop };
  } catch (error) {
    await root.stop();
    throw error;
  }
}

/** Starts the same PostgreSQL without Citus, with an empty database. */
export async function startPlain(
  tree: string,
  settings: Record<string, string> = {},
): Promise<{ url: string; stop(): Promise<void> }> {
  const root = createRoot();
  const { url } = await startNode(tree, path.join(root.folder, 'node'), settings, root.stops);
  return { url, stop: root.stop };
}

type Root = { folder: string; stops: (() => Promise<void>)[]; stop(): Promise<void> };

function createRoot(): Root {
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-citus-'));
  chmodSync(folder, 0o711);
  const stops: Root['stops'] = [];
  const stop = async (): Promise<void> => {
    for (const end of stops.splice(0)) await end();
    rmSync(folder, { recursive: true, force: true });
  };
  return { folder, stops, stop };
}

async function startNode(
  tree: string,
  dataDir: string,
  more: Record<string, string>,
  stops: Root['stops'],
): Promise<CitusNode> {
  const folder = path.join(tree, 'usr/lib/postgresql/15/bin');
  mkdirSync(dataDir, { mode: 0o711 });
  const runAs = chooseRunAs(dataDir, folder);
  const cluster = clusterFolder(dataDir);
  mkdirSync(cluster, { mode: 0o700 });
  if (runAs.how !== 'same') chownSync(cluster, runAs.uid, runAs.gid);
  const initdb = path.join(folder, 'initdb');
  const options = ['-D', cluster, '-U', 'parley', '--auth=trust', '-E', 'UTF8', '--locale=C.UTF-8'];
  const [code] = (await once(spawnAs(runAs, initdb, options, 'ignore'), 'exit')) as [number];
  if (code !== 0) throw new Error(`initdb ended with ${code}.`);
  const port = await freePort();
  const binaries = { folder, initdb, postgres: path.join(folder, 'postgres'), major: 15 };
  const settings = { ...COMMON, ...more, port: String(port), unix_socket_directories: cluster };
  let child = await startServer(dataDir, binaries, runAs, settings, quiet);
  stops.push(() => stopProcess(child.pid!, quiet));
  process.once('exit', () => void child.kill('SIGKILL'));
  const urlOf = (database: string): string => `postgresql://parley@127.0.0.1:${port}/${database}`;
  await inDatabase(urlOf('postgres'), (client) => client.query('CREATE DATABASE parley'));
  const pids = (): number[] => [child.pid!, ...childrenOf(child.pid!)];
  const tell = (signal: NodeJS.Signals): void => {
    for (const pid of pids()) sendSignal(pid, signal);
  };
  return {
    url: urlOf('parley'),
    port,
    adminUrl: urlOf('postgres'),
    socketPath: path.join(cluster, `.s.PGSQL.${port}`),
    dataDir,
    proxy: null,
    pids,
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

/** Each process of a server has its own session, so a signal to a process group would reach only one process. */
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
    // The process has already ended, so no signal is necessary.
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

export async function readTables(client: pg.Client, cell: string): Promise<Set<string>> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = $1::regnamespace AND relkind = 'r'`,
    [cell],
  );
  return new Set(rows.map(({ name }) => name));
}
