import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDigest, digestBytes } from '../src/access/api-keys/digest.ts';
import { mintKey } from '../src/access/api-keys/key-format.ts';
import { deriveSecrets } from '../src/config/secrets.ts';
import { type Db, openDb } from '../src/store/db.ts';
import { findRunningPostgres } from '../src/store/embedded/start-embedded-postgres.ts';
import { givenAgent, givenKey, givenOrganization, givenTrigger } from '../test/factories.ts';

/**
 * Runs the real program as a child process, with its own data folder and full durability. The program's rate limits are
 * counted, but too high to refuse a call. The program's records are written directly into its database.
 */
/** The program is the built one, as in production. */
const MAIN = fileURLToPath(new URL('../dist/src/main.js', import.meta.url));
const BARE = fileURLToPath(new URL('bare-server.ts', import.meta.url));
const SELECTING = fileURLToPath(new URL('select-server.ts', import.meta.url));
const START_MS = 60_000;
const UNLIMITED = { key: 1_000_000_000, organization: 1_000_000_000 };

export type Role = 'all' | 'api' | 'worker';

export type Program = {
  origin: string;
  db: Db;
  orgId: string;
  key: string;
  /** The path of a trigger without required variables. */
  triggerPath: string;
  digestOf: (value: string) => Buffer;
  /** This key signs the cursors of the program's lists. */
  cursorKey: Buffer;
  /** The process ID of the program itself. */
  pid(): number;
  /** Returns the resident memory of the program itself in MiB, without its database. */
  memory(): number;
  /** Counts the runs that still wait for a worker. */
  queued(): Promise<number>;
  /** Stops and starts the program on the same data. */
  restart(role: Role): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

export async function startProgram(role: Role): Promise<Program> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'parley-bench-'));
  chmodSync(dataDir, 0o711);
  const secret = randomBytes(36).toString('base64url');
  const port = await freePort();
  const start = (as: Role) => spawnReady(dataDir, secret, port, as);
  let child = await start(role);
  let db = openDb(databaseOf(dataDir), { max: 8 });
  const { apiKeyPepper, cursorKey } = deriveSecrets(secret);
  const digest = createDigest(apiKeyPepper);
  const digestOf = (value: string): Buffer => digestBytes(digest(value));

  const orgId = await givenOrganization(db);
  const { agentId } = await givenAgent(db, orgId);
  const triggerId = await givenTrigger(db, orgId, agentId);
  const key = mintKey('us');
  await givenKey(db, orgId, { digest: digestOf(key), permissions: ['triggers', 'channels', 'end_users'] });

  return {
    origin: `http://127.0.0.1:${port}`,
    get db() {
      return db;
    },
    orgId,
    key,
    triggerPath: `/api/triggers/${agentId}/${triggerId}`,
    digestOf,
    cursorKey,
    pid: () => child.pid!,
    memory: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))![1]) / 1024,
    async queued() {
      const { rows } = await db.$client.query<{ n: number }>(
        'SELECT count(*)::int AS n FROM run WHERE due_at IS NOT NULL',
      );
      return rows[0]!.n;
    },
    async restart(as) {
      await db.$client.end();
      await stop(child);
      child = await start(as);
      db = openDb(databaseOf(dataDir), { max: 8 });
    },
    async [Symbol.asyncDispose]() {
      await db.$client.end();
      await stop(child);
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

export type Yardstick = { origin: string; [Symbol.asyncDispose](): Promise<void> };

export const startBare = (): Promise<Yardstick> => startYardstick([BARE]);
/** Starts a server that reads the key from the database for each request. */
export const startSelecting = (databaseUrl: string, pepper: string): Promise<Yardstick> =>
  startYardstick([SELECTING, databaseUrl, pepper]);

async function startYardstick(args: string[]): Promise<Yardstick> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const line = await firstOutput(child, /\{.*\}/);
  return {
    origin: `http://127.0.0.1:${(JSON.parse(line) as { port: number }).port}`,
    [Symbol.asyncDispose]: () => stop(child),
  };
}

async function spawnReady(dataDir: string, secret: string, port: number, role: Role): Promise<ChildProcess> {
  const limits = { triggers: UNLIMITED, channels: UNLIMITED, end_users: UNLIMITED, campaigns: UNLIMITED };
  const child = spawn(process.execPath, [MAIN, 'serve', '--role', role], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      // Returns the environment that `npm start` uses.
      NODE_ENV: 'production',
      DATA_DIR: dataDir,
      PORT: String(port),
      PARLEY_SECRET: secret,
      PARLEY_DEMO: '0',
      PARLEY_LIMITS: JSON.stringify(limits),
      LOG_LEVEL: 'warn',
    },
  });
  await firstOutput(child, role === 'worker' ? /Parley is running/ : /Parley is ready/);
  child.stdout.resume();
  return child;
}

function firstOutput(child: ChildProcess, wanted: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = '';
    const late = setTimeout(() => reject(new Error(`The program was not ready in time: ${output}`)), START_MS);
    child.once('exit', (code) => reject(new Error(`The program ended with ${code}: ${output}`)));
    child.stdout!.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      const found = wanted.exec(output);
      if (!found) return;
      clearTimeout(late);
      resolve(found[0]);
    });
  });
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await Promise.race([ended, sleep(35_000).then(() => child.kill('SIGKILL'))]);
}

function databaseOf(dataDir: string): string {
  const url = findRunningPostgres(dataDir);
  if (url === null) throw new Error('The program runs, but its database is not there.');
  return url;
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}
