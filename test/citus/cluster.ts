import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { clusterFolder } from '../../src/store/embedded/data-folder.ts';
import { chooseRunAs } from '../../src/store/embedded/run-as.ts';
import { startServer, stopProcess } from '../../src/store/embedded/server.ts';
import { migrate } from '../../src/store/migrate.ts';
import { REGION_TABLES } from './region-tables.ts';
import { freePort } from '../program.ts';

/** A coordinator and two workers of Citus, with one cell: the tenant tables in a distributed schema. */
export type CitusCluster = { url: string; stop(): Promise<void> };

export const CELL = 'cell_1';
const WORKERS = 2;
const SETTINGS = {
  listen_addresses: '127.0.0.1',
  fsync: 'off',
  shared_buffers: '64MB',
  wal_level: 'logical',
  shared_preload_libraries: 'citus',
  max_prepared_transactions: '100',
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
    const [coordinator, ...workers] = nodes as [Node, ...Node[]];
    await inDatabase(coordinator.url, async (client) => {
      await client.query(`SELECT citus_set_coordinator_host('127.0.0.1', $1)`, [coordinator.port]);
      for (const { port } of workers) await client.query(`SELECT citus_add_node('127.0.0.1', $1)`, [port]);
    });
    await migrate(coordinator.url);
    await inDatabase(coordinator.url, makeCell);
    return { url: coordinator.url, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

type Node = { url: string; port: number };

async function startNode(tree: string, dataDir: string, stops: (() => Promise<void>)[]): Promise<Node> {
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
  const child = await startServer(dataDir, binaries, runAs, settings, quiet);
  stops.push(() => stopProcess(child.pid!, quiet));
  process.once('exit', () => void child.kill('SIGKILL'));
  const urlOf = (database: string): string => `postgresql://parley@127.0.0.1:${port}/${database}`;
  await inDatabase(urlOf('postgres'), (client) => client.query('CREATE DATABASE parley'));
  await inDatabase(urlOf('parley'), (client) => client.query('CREATE EXTENSION citus'));
  return { url: urlOf('parley'), port };
}

/** Moves the tenant tables and all functions into a schema, and distributes it. */
async function makeCell(client: pg.Client): Promise<void> {
  await client.query(`CREATE SCHEMA ${CELL}`);
  const run = async (text: string): Promise<void> => {
    const { rows } = await client.query<{ change: string }>(text, text.includes('$1') ? [REGION_TABLES] : []);
    for (const { change } of rows) await client.query(change);
  };
  await run(`SELECT format('ALTER TABLE %I DROP CONSTRAINT %I', c.relname, k.conname) AS change
    FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_class t ON t.oid = k.confrelid
    WHERE k.contype = 'f' AND c.relnamespace = 'public'::regnamespace
      AND c.relname <> ALL ($1) AND t.relname = ANY ($1)`);
  await run(`SELECT format('ALTER TABLE %I SET LOGGED', relname) AS change FROM pg_class
    WHERE relkind = 'r' AND relpersistence = 'u' AND relnamespace = 'public'::regnamespace`);
  await run(`SELECT format('ALTER TABLE %I SET SCHEMA ${CELL}', relname) AS change FROM pg_class
    WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname <> ALL ($1)`);
  await run(`SELECT format('ALTER FUNCTION %s SET SCHEMA ${CELL}', oid::regprocedure) AS change FROM pg_proc p
    WHERE pronamespace = 'public'::regnamespace
      AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')`);
  await client.query(`SET search_path = ${CELL}, public`);
  await client.query(`SELECT citus_schema_distribute('${CELL}')`);
  // A function with a row of a table as its parameter is known to the workers only if it is made after the table.
  await run(`SELECT format('DROP FUNCTION %s; %s', p.oid::regprocedure, pg_get_functiondef(p.oid)) AS change
    FROM pg_proc p WHERE p.pronamespace = '${CELL}'::regnamespace AND EXISTS (
      SELECT FROM unnest(p.proargtypes) AS a(type) JOIN pg_class c ON c.reltype = a.type WHERE c.relkind = 'r')`);
  // On a worker, a trigger runs with the search path of its connection.
  await run(`SELECT format('ALTER FUNCTION %s SET search_path = ${CELL}, public', p.oid::regprocedure) AS change
    FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang
    WHERE p.pronamespace = '${CELL}'::regnamespace AND l.lanname = 'plpgsql'`);
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
