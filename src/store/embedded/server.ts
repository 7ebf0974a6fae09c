import type { ChildProcess } from 'node:child_process';
import {
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { StartError } from '../../kernel/start-error.ts';
import type { Binaries } from './binaries.ts';
import { cannotRun, clusterFolder } from './data-folder.ts';
import { startTime } from './data-lock.ts';
import { type RunAs, spawnAs } from './run-as.ts';

/** sun_path has space for 108 bytes with the terminator, and Postgres appends its file name to the folder. */
const SOCKET_PATH_BYTES = 107;
const SOCKET_NAME = '/.s.PGSQL.5432';
/** After a crash, Postgres first replays its log, up to max_wal_size. */
const READY_WITHIN_MS = 600_000;
const SAY_SO_EVERY_MS = 5_000;
const FAST_STOP_MS = 60_000;
const IMMEDIATE_STOP_MS = 10_000;
const MAX_LOG_BYTES = 10 * 1024 * 1024;

export type ServerLog = { info(text: string): void; warn(text: string): void; error(text: string): void };

/**
 * The folder of the socket: the data folder, or the system's temporary folder if the path is too long or does not
 * support sockets.
 */
export async function socketFolder(dataDir: string, runAs: RunAs): Promise<string> {
  const near = path.join(dataDir, 'run');
  rmSync(near, { recursive: true, force: true });
  const short = Buffer.byteLength(near + SOCKET_NAME) <= SOCKET_PATH_BYTES;
  if (short) mkdirSync(near, { mode: 0o700 });
  const folder = short && (await holdsSockets(near)) ? near : mkdtempSync(path.join(tmpdir(), 'parley-'));
  if (runAs.how !== 'same') chownSync(folder, runAs.uid, runAs.gid);
  return folder;
}

async function holdsSockets(folder: string): Promise<boolean> {
  const server = createServer();
  const { promise, resolve } = Promise.withResolvers<boolean>();
  server.once('error', () => resolve(false));
  server.listen(path.join(folder, 'probe'), () => server.close(() => resolve(true)));
  return promise;
}

/** Starts Postgres and waits until it accepts connections. */
export async function startServer(
  dataDir: string,
  binaries: Binaries,
  runAs: RunAs,
  settings: Record<string, string>,
  log: ServerLog,
): Promise<ChildProcess> {
  const logFile = path.join(dataDir, 'postgres.log');
  const tooLong = (statSync(logFile, { throwIfNoEntry: false })?.size ?? 0) > MAX_LOG_BYTES;
  const output = openSync(logFile, tooLong ? 'w' : 'a', 0o600);
  const logStart = statSync(logFile).size;
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const args = ['-D', clusterFolder(dataDir), ...flags];
  const child = spawnAs(runAs, binaries.postgres, args, ['ignore', output, output]);
  closeSync(output);
  let failed: unknown;
  child.once('error', (error) => {
    failed = error;
  });
  const begun = Date.now();
  let spoken = begun;
  while (!isReady(dataDir, child.pid)) {
    if (failed) throw cannotRun(binaries.postgres, failed);
    if (child.exitCode !== null || child.signalCode !== null) throw explainServer(logFile, logStart, dataDir);
    if (Date.now() - spoken > SAY_SO_EVERY_MS) {
      spoken = Date.now();
      log.info('The database recovers after an unclean stop. With much data, the recovery takes a while.');
    }
    if (Date.now() - begun > READY_WITHIN_MS) {
      await stopProcess(child.pid!, log);
      throw explainServer(logFile, logStart, dataDir);
    }
    await sleep(10);
  }
  return child;
}

/** Line 8 of postmaster.pid says "ready" when connections are accepted (pg_ctl reads the same line). */
function isReady(dataDir: string, pid: number | undefined): boolean {
  const lines = postmasterFile(dataDir);
  return pid !== undefined && Number(lines[0]) === pid && lines[7]?.trim() === 'ready';
}

function postmasterFile(dataDir: string): string[] {
  try {
    return readFileSync(path.join(clusterFolder(dataDir), 'postmaster.pid'), 'utf8').split('\n');
  } catch {
    return [];
  }
}

function explainServer(logFile: string, from: number, dataDir: string): StartError {
  const logLines = readFileSync(logFile).subarray(from).toString('utf8').trim().split('\n');
  const line = logLines.findLast((text) => /FATAL|PANIC|error/i.test(text)) ?? logLines.at(-1) ?? '';
  if (/No space left|Disk quota/.test(line)) {
    return new StartError(
      `The disk is full: the database in ${dataDir} cannot start. Nothing is lost.`,
      'Free some space on that disk and start again.',
    );
  }
  return new StartError(
    `The database in ${dataDir} did not start: ${line.replace(/^.*?(FATAL|PANIC): +/, '')}`,
    `Its log is ${logFile}.`,
  );
}

/**
 * The process ID of the postmaster that runs on this data, or null. The working folder shows whether the process is
 * this postmaster or another process with the same number.
 */
export function findPostmaster(dataDir: string): { pid: number; socketDir: string } | null {
  const lines = postmasterFile(dataDir);
  const pid = Number(lines[0]);
  if (!Number.isInteger(pid) || pid <= 1 || startTime(pid) === null) return null;
  try {
    // The working folder of Postgres is its data folder. After a rename or a move of the disk, the link shows the
    // current place of the data folder.
    if (statSync(`/proc/${pid}/cwd`).ino !== statSync(clusterFolder(dataDir)).ino) return null;
    if (!path.basename(readlinkSync(`/proc/${pid}/exe`)).startsWith('postgres')) return null;
  } catch {
    return null;
  }
  return { pid, socketDir: lines[4] ?? '' };
}

/**
 * Stops Postgres with a fast shutdown, then with an immediate shutdown, after which the log repairs the data, and last
 * with SIGKILL.
 */
export async function stopProcess(pid: number, log: ServerLog): Promise<void> {
  const started = startTime(pid);
  const gone = (): boolean => startTime(pid) === null || startTime(pid) !== started;
  const waitFor = async (milliseconds: number): Promise<boolean> => {
    for (const end = Date.now() + milliseconds; Date.now() < end; await sleep(10)) if (gone()) return true;
    return gone();
  };
  if (started === null) return;
  signal(pid, 'SIGINT');
  if (await waitFor(FAST_STOP_MS)) return;
  log.warn('The database did not stop in time; it is stopped immediately, and it recovers at the next start.');
  signal(pid, 'SIGQUIT');
  if (await waitFor(IMMEDIATE_STOP_MS)) return;
  signal(pid, 'SIGKILL');
  await waitFor(IMMEDIATE_STOP_MS);
}

export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // The process has already ended.
  }
}

export const removeSocketFolder = (folder: string): void => {
  if (existsSync(folder)) rmSync(folder, { recursive: true, force: true });
};
