import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startTime } from './data-lock.ts';

const PROGRAM = path.resolve(import.meta.dirname, '../../../test/embedded-parley.ts');
const NOBODY = 65_534;
const isRoot = process.getuid!() === 0;

type Ready = { url: string; fresh: boolean; postmaster: number };
type Started = { child: ChildProcess; ready: Ready | null; stderr(): string };

let folder: string;
let dataDir: string;
const children: ChildProcess[] = [];

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'parley-launch-'));
  chmodSync(folder, 0o755);
  dataDir = path.join(folder, 'data');
});

afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
  }
  // A killed program may have left its database running; another start ends it.
  if (existsSync(path.join(dataDir, 'postgres', 'postmaster.pid'))) await stop(await start());
  rmSync(folder, { recursive: true, force: true });
});

/** Runs the program until it is ready or has ended. */
async function start(options: { uid?: number; shell?: string; dir?: string } = {}): Promise<Started> {
  const command = [process.execPath, PROGRAM, options.dir ?? dataDir];
  const [file, ...args] = options.shell ? ['bash', '-c', `${options.shell}; exec "$@"`, 'bash', ...command] : command;
  const child = spawn(file!, args, { stdio: ['ignore', 'pipe', 'pipe'], uid: options.uid, gid: options.uid, cwd: '/' });
  children.push(child);
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString('utf8');
  });
  const line = new Promise<string>((resolve) => {
    child.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString('utf8')));
  });
  const ended = once(child, 'close').then(() => null);
  const first = await Promise.race([line, ended]);
  return { child, ready: first === null ? null : (JSON.parse(first) as Ready), stderr: () => stderr };
}

async function stop(started: Started): Promise<void> {
  if (started.child.exitCode !== null) return;
  started.child.kill('SIGTERM');
  await once(started.child, 'exit');
}

async function kill(started: Started): Promise<void> {
  started.child.kill('SIGKILL');
  await once(started.child, 'exit');
}

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const result = await client.query<Record<string, unknown>>(text);
    return result.rows;
  } finally {
    await client.end();
  }
}

function expectOneSentenceAndExit1(started: Started, sentence: RegExp): void {
  expect(started.ready).toBeNull();
  expect(started.child.exitCode).toBe(1);
  expect(started.stderr()).toMatch(sentence);
  expect(started.stderr().trim().split('\n')).toHaveLength(1);
}

describe('a start', () => {
  test('a start creates a durable database that listens only on its socket', async () => {
    const started = await start();
    const { url, fresh } = started.ready!;
    expect(fresh).toBe(true);
    const [row] = await query(
      url,
      `SELECT current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS commit, current_setting('full_page_writes') AS pages,
              current_setting('data_checksums') AS checksums, current_setting('listen_addresses') AS tcp,
              current_setting('is_superuser') AS superuser, lower('ÀÉ') AS folded`,
    );
    expect(row).toEqual({
      fsync: 'on',
      commit: 'on',
      pages: 'on',
      checksums: 'on',
      tcp: '',
      superuser: 'off',
      folded: 'àé',
    });
  });

  test('SIGTERM stops the database together with Parley and releases the lock', async () => {
    const started = await start();
    await stop(started);
    expect(started.child.exitCode).toBe(0);
    expect(startTime(started.ready!.postmaster)).toBeNull();
    expect(readdirSync(dataDir).toSorted()).toEqual(['postgres', 'postgres.log']);
  });

  test('a stop during the start leaves no process', { tags: ['long'] }, async () => {
    const child = spawn(process.execPath, [PROGRAM, dataDir], { stdio: 'ignore' });
    children.push(child);
    const pidFile = path.join(dataDir, 'postgres', 'postmaster.pid');
    await expect.poll(() => existsSync(pidFile), { interval: 1, timeout: 60_000 }).toBe(true);
    const postmaster = Number(readFileSync(pidFile, 'utf8').split('\n')[0]);
    child.kill('SIGTERM');
    await expect
      .poll(() => [startTime(postmaster), existsSync(path.join(dataDir, 'parley.lock'))])
      .toEqual([null, false]);
  });

  test('the database starts even if its path is too long for a socket', { tags: ['long'] }, async () => {
    const dir = path.join(dataDir, 'x'.repeat(100));
    const started = await start({ dir });
    expect(await query(started.ready!.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  test.runIf(isRoot)(
    'the database starts as root below a folder that only root may enter',
    { tags: ['long'] },
    async () => {
      chmodSync(folder, 0o700);
      const started = await start();
      expect(await query(started.ready!.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    },
  );

  test.runIf(isRoot)('the database never runs as root', { tags: ['long'] }, async () => {
    const started = await start();
    const status = readFileSync(`/proc/${started.ready!.postmaster}/status`, 'utf8');
    expect(status).toMatch(/^Uid:\s+65534\s+65534/m);
    expect(status).toMatch(/^CapEff:\s+0+$/m);
  });

  test.runIf(isRoot)('the database starts for an ordinary user in their own folder', { tags: ['long'] }, async () => {
    chownSync(folder, NOBODY, NOBODY);
    const started = await start({ uid: NOBODY });
    expect(await query(started.ready!.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });
});

describe('after a crash', () => {
  test('no committed row is lost after Parley is killed, and the orphaned database is replaced', async () => {
    const first = await start();
    await query(first.ready!.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
    await kill(first);
    expect(startTime(first.ready!.postmaster)).not.toBeNull();
    const second = await start();
    expect(second.ready!.fresh).toBe(false);
    expect(startTime(first.ready!.postmaster)).toBeNull();
    expect(await query(second.ready!.url, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
  });

  test('the database restarts at the same address if its main process is killed', { tags: ['long'] }, async () => {
    const started = await start();
    await query(started.ready!.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
    process.kill(started.ready!.postmaster, 'SIGKILL');
    await expect
      .poll(() => query(started.ready!.url, 'SELECT answer FROM kept').catch(() => 'down'), { timeout: 60_000 })
      .toEqual([{ answer: 42 }]);
    expect(startTime(started.ready!.postmaster)).toBeNull();
  });

  test('a database that was not created completely is removed', { tags: ['long'] }, async () => {
    mkdirSync(path.join(dataDir, 'postgres.unfinished-abc', 'base'), { recursive: true });
    const started = await start();
    expect(started.ready!.fresh).toBe(true);
    expect(readdirSync(dataDir).filter((name) => name.includes('unfinished'))).toEqual([]);
  });

  test('a lock is free if another program has the process ID of its last holder', { tags: ['long'] }, async () => {
    const first = await start();
    await kill(first);
    const lock = path.join(dataDir, 'parley.lock');
    const holder = JSON.parse(readFileSync(lock, 'utf8')) as { pid: number };
    writeFileSync(lock, JSON.stringify({ ...holder, pid: process.pid }));
    expect((await start()).ready).not.toBeNull();
  });
});

describe('refuses to start, with one sentence and exit 1,', () => {
  test('a second Parley on the same data does not start, and the first is not affected', async () => {
    const first = await start();
    const second = await start();
    expectOneSentenceAndExit1(second, /Another Parley \(process \d+, since .*\) is running on the data .* DATA_DIR/);
    expect(await query(first.ready!.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(startTime(first.ready!.postmaster)).not.toBeNull();
  });

  test.runIf(isRoot)('the start fails in a folder without write permission', { tags: ['long'] }, async () => {
    expectOneSentenceAndExit1(await start({ uid: NOBODY }), /cannot be made \(permission denied\)\. .* DATA_DIR/);
    mkdirSync(dataDir);
    expectOneSentenceAndExit1(await start({ uid: NOBODY }), /cannot be written \(permission denied\)\. .* DATA_DIR/);
    expect(readdirSync(dataDir)).toEqual([]);
  });

  test('the start fails if the name of the data folder is a file', { tags: ['long'] }, async () => {
    writeFileSync(dataDir, '');
    expectOneSentenceAndExit1(await start(), /cannot be .* \(there is a file of that name\)/);
  });

  test('the start fails on a full disk, without leaving incomplete data', async () => {
    expectOneSentenceAndExit1(await start({ shell: 'ulimit -f 4000' }), /The disk is full/);
    expect(readdirSync(dataDir)).toEqual([]);
    expect((await start()).ready!.fresh).toBe(true);
  });

  test('the start fails on data of a newer Postgres, without changing it', { tags: ['long'] }, async () => {
    mkdirSync(path.join(dataDir, 'postgres'), { recursive: true });
    writeFileSync(path.join(dataDir, 'postgres', 'PG_VERSION'), '99\n');
    expectOneSentenceAndExit1(
      await start(),
      /is of PostgreSQL 99, and this version of Parley contains PostgreSQL \d+\. Start the newer version/,
    );
    expect(readdirSync(path.join(dataDir, 'postgres'))).toEqual(['PG_VERSION']);
  });
});
