import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { chooseRunAs } from '../src/store/embedded/run-as.ts';
import { freePort } from './program.ts';

/** Starts a real PgBouncer in front of a server, with the settings of docs/scaling.md. */
export type PgBouncer = {
  url: string;
  /** The URL of the same database in session mode. */
  directUrl: string;
  port: number;
  /** Connects to another server from now on, as after a failover. */
  follow(to: string): void;
  /** Kills PgBouncer and starts it again. */
  restart(downMs: number): Promise<void>;
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

export const PGBOUNCER = [process.env.TEST_PGBOUNCER, '/usr/sbin/pgbouncer'].find(
  (file) => file !== undefined && existsSync(file),
);

const MAX_OUTPUT = 100_000;

export async function startPgBouncer(to: string, mode: 'session' | 'transaction'): Promise<PgBouncer> {
  if (PGBOUNCER === undefined) throw new Error('PgBouncer is not installed: apt-get install pgbouncer');
  const port = await freePort();
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-pgbouncer-'));
  chmodSync(folder, 0o711);
  const file = path.join(folder, 'pgbouncer.ini');
  const users = path.join(folder, 'users.txt');
  const write = (server: URL): void => {
    writeFileSync(file, `${settingsOf(server, { port, mode, users }).join('\n')}\n`, { mode: 0o644 });
    writeFileSync(users, `"${server.username}" "${server.password}"\n`, { mode: 0o644 });
  };
  write(new URL(to));
  let child = await run(file, folder);
  const end = async (): Promise<void> => {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
  const stop = async (): Promise<void> => {
    await end();
    rmSync(folder, { recursive: true, force: true });
  };
  const restart = async (downMs: number): Promise<void> => {
    await end();
    await sleep(downMs);
    child = await run(file, folder);
  };
  const url = Object.assign(new URL(to), { hostname: '127.0.0.1', port: String(port), search: '' });
  const direct = Object.assign(new URL(url), { pathname: '/sessions' });
  const follow = (other: string): void => {
    write(new URL(other));
    child.kill('SIGHUP');
  };
  return { url: url.href, directUrl: direct.href, port, follow, restart, stop, [Symbol.asyncDispose]: stop };
}

async function run(file: string, folder: string): Promise<ChildProcess> {
  // PgBouncer refuses to run as root, like Postgres.
  const { how, uid, gid } = chooseRunAs(folder, path.dirname(PGBOUNCER!));
  const child = spawn(PGBOUNCER!, [file], { stdio: ['ignore', 'ignore', 'pipe'], ...(how !== 'same' && { uid, gid }) });
  process.once('exit', () => void child.kill('SIGKILL'));
  let output = '';
  await new Promise<void>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`pgbouncer ended with ${code}:\n${output}`)));
    child.stderr.on('data', (chunk: Buffer) => {
      if (output.length < MAX_OUTPUT) output += chunk.toString();
      if (output.includes('process up')) resolve();
    });
  });
  return child;
}

type Place = { port: number; mode: string; users: string };

/** Returns the configuration of docs/scaling.md. PgBouncer reaches a server without a password by its socket. */
function settingsOf(server: URL, { port, mode, users }: Place): string[] {
  const host = server.searchParams.get('host') ?? server.hostname;
  const place = `host=${host} port=${server.port || '5432'} dbname=${server.pathname.slice(1)}`;
  return [
    '[databases]',
    `sessions = ${place} pool_mode=session`,
    `${server.pathname.slice(1)} = ${place}`,
    `* = host=${host} port=${server.port || '5432'}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    `auth_type = ${server.password === '' ? 'trust' : 'scram-sha-256'}`,
    `auth_file = ${users}`,
    `pool_mode = ${mode}`,
    'default_pool_size = 40',
    'max_client_conn = 500',
    'server_login_retry = 1',
  ];
}
