import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { clusterFolder } from '../src/store/embedded/data-folder.ts';
import { chooseRunAs, spawnAs } from '../src/store/embedded/run-as.ts';
import { signal, startServer, stopProcess } from '../src/store/embedded/server.ts';
import { freePort } from './program.ts';

/**
 * Starts the PostgreSQL of this system (Debian's package) with default settings except the address, and with a password
 * over TCP. The PostgreSQL of this system is the oldest version that Parley supports, if it is installed. The command
 * `npm test` installs this PostgreSQL if permitted, and otherwise prints a message.
 */
export type SystemPostgres = {
  /** The URL of a role that owns only its database. */
  url: string;
  adminUrl: string;
  port: number;
  major: number;
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

const DEBIAN = '/usr/lib/postgresql';
const PASSWORD = 'a-test-password';
const quiet = { info: () => {}, warn: () => {}, error: () => {} };

export const SYSTEM_POSTGRES = [process.env.TEST_POSTGRES, ...installed()].find(
  (file) => file !== undefined && existsSync(file),
);

function installed(): string[] {
  if (!existsSync(DEBIAN)) return [];
  const versions = readdirSync(DEBIAN).filter((version) => Number(version) >= 15);
  return versions.toSorted((a, b) => Number(a) - Number(b)).map((version) => `${DEBIAN}/${version}/bin/postgres`);
}

export async function startSystemPostgres(settings: Record<string, string> = {}): Promise<SystemPostgres> {
  if (SYSTEM_POSTGRES === undefined) throw new Error('PostgreSQL is not installed: apt-get install postgresql');
  const folder = path.dirname(SYSTEM_POSTGRES);
  const major = Number(/ (\d+)/.exec(execFileSync(SYSTEM_POSTGRES, ['--version'], { encoding: 'utf8' }))![1]);
  const binaries = { folder, initdb: path.join(folder, 'initdb'), postgres: SYSTEM_POSTGRES, major };
  const dataDir = mkdtempSync(path.join(tmpdir(), 'parley-system-postgres-'));
  chmodSync(dataDir, 0o711);
  const runAs = chooseRunAs(dataDir, folder);
  const cluster = clusterFolder(dataDir);
  mkdirSync(cluster, { mode: 0o700 });
  if (runAs.how !== 'same') chownSync(cluster, runAs.uid, runAs.gid);
  const options = ['--username=postgres', '--auth-local=trust', '--auth-host=scram-sha-256', '--encoding=UTF8'];
  const made = spawnAs(runAs, binaries.initdb, ['-D', cluster, ...options, '--locale=C.UTF-8'], 'ignore');
  const [code] = (await once(made, 'exit')) as [number];
  if (code !== 0) throw new Error(`initdb of the system's PostgreSQL ended with ${code}.`);

  const port = await freePort();
  const address = { port: String(port), listen_addresses: '127.0.0.1', unix_socket_directories: cluster };
  const child = await startServer(dataDir, binaries, runAs, { ...settings, ...address }, quiet);
  // The signal also works if the run is killed, because the server has its own session.
  process.once('exit', () => signal(child.pid!, 'SIGQUIT'));
  const admin = new pg.Client({ connectionString: `postgresql://postgres@localhost:${port}/postgres?host=${cluster}` });
  await admin.connect();
  await admin.query(`ALTER ROLE postgres PASSWORD '${PASSWORD}'`);
  await admin.query(`CREATE ROLE parley LOGIN PASSWORD '${PASSWORD}'`);
  await admin.query('CREATE DATABASE parley OWNER parley');
  await admin.end();

  const urlOf = (role: string, database: string): string =>
    `postgresql://${role}:${PASSWORD}@127.0.0.1:${port}/${database}`;
  const stop = async (): Promise<void> => {
    await stopProcess(child.pid!, quiet);
    rmSync(dataDir, { recursive: true, force: true });
  };
  return {
    url: urlOf('parley', 'parley'),
    adminUrl: urlOf('postgres', 'postgres'),
    port,
    major,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
