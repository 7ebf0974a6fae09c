import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { chooseRunAs } from '../src/store/embedded/run-as.ts';
import { freePort } from './program.ts';

/** A real PgBouncer in front of a server, with the default settings of its package except the mode. */
export type PgBouncer = { url: string; stop(): Promise<void>; [Symbol.asyncDispose](): Promise<void> };

export const PGBOUNCER = [process.env.TEST_PGBOUNCER, '/usr/sbin/pgbouncer'].find(
  (file) => file !== undefined && existsSync(file),
);

export async function startPgBouncer(to: string, mode: 'session' | 'transaction'): Promise<PgBouncer> {
  if (PGBOUNCER === undefined) throw new Error('PgBouncer is not installed: apt-get install pgbouncer');
  const server = new URL(to);
  const port = await freePort();
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-pgbouncer-'));
  chmodSync(folder, 0o711);
  const file = path.join(folder, 'pgbouncer.ini');
  const users = path.join(folder, 'users.txt');
  writeFileSync(users, `"${server.username}" "${server.password}"\n`, { mode: 0o644 });
  const settings = [
    '[databases]',
    `* = host=${server.hostname} port=${server.port}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = scram-sha-256',
    `auth_file = ${users}`,
    `pool_mode = ${mode}`,
    'default_pool_size = 40',
  ];
  writeFileSync(file, `${settings.join('\n')}\n`, { mode: 0o644 });
  // PgBouncer refuses to run as root, like Postgres.
  const { how, uid, gid } = chooseRunAs(folder, path.dirname(PGBOUNCER));
  const child = spawn(PGBOUNCER, [file], {
    stdio: ['ignore', 'ignore', 'pipe'],
    ...(how !== 'same' && { uid, gid }),
  });
  let output = '';
  await new Promise<void>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`pgbouncer ended with ${code}:\n${output}`)));
    child.stderr.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes('process up')) resolve();
    });
  });
  const stop = async (): Promise<void> => {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  const url = Object.assign(new URL(to), { port: String(port) });
  return { url: url.href, stop, [Symbol.asyncDispose]: stop };
}
