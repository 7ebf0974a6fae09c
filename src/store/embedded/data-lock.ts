import { randomBytes } from 'node:crypto';
import {
  linkSync,
  readFileSync,
  readlinkSync,
  renameSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { StartError } from '../../kernel/start-error.ts';

/**
 * Allows only one Parley per data folder. The lock is a file that contains its holder's process ID and start time, so a
 * later process with the same number does not count as the holder. A holder in another container or on another machine
 * cannot be looked up. The owner updates the time of the file regularly, and other processes check this time. The lock
 * of Postgres is a second barrier.
 */
export type DataLock = { release(): void };

type Holder = { pid: number; started: string | null; world: string; since: string };

const LOCK = 'parley.lock';
const HEARTBEAT_MS = 2_000;
/** The time of three missed heartbeats, after which the process counts as ended. */
const WATCH_MS = 6_000;
const ATTEMPTS = 5;

export async function lockDataFolder(dataDir: string): Promise<DataLock> {
  const file = path.join(dataDir, LOCK);
  const own = `${file}.${randomBytes(6).toString('hex')}`;
  const content = JSON.stringify(thisProcess());
  writeFileSync(own, content, { mode: 0o644 });
  try {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      // link() either creates the whole file in one step or fails, so no process ever reads an incomplete lock.
      if (tryLink(own, file)) return hold(file, content);
      const found = read(file);
      if (found === undefined) continue;
      const holder = parse(found);
      if (holder && (await isAlive(holder, file))) throw inUse(dataDir, holder);
      setAside(file, found, `${own}.stale`);
    }
  } finally {
    unlinkSync(own);
  }
  throw new StartError(
    `Several programs are starting on the data in ${dataDir} at the same moment.`,
    'Start only one of them.',
  );
}

/** The live process that holds the lock now, for commands that run without the lock. */
export async function findHolder(dataDir: string): Promise<{ pid: number } | null> {
  const file = path.join(dataDir, LOCK);
  const holder = parse(read(file) ?? '');
  return holder && (await isAlive(holder, file)) ? { pid: holder.pid } : null;
}

function hold(file: string, content: string): DataLock {
  const timer = setInterval(() => {
    try {
      utimesSync(file, new Date(), new Date());
    } catch {
      // The file was removed manually, so the process cannot update its time.
    }
  }, HEARTBEAT_MS).unref();
  return {
    release() {
      clearInterval(timer);
      if (read(file) === content) unlinkSync(file);
    },
  };
}

/**
 * Moves the lock file of an ended process away. If another process started first, the moved file is the new lock of
 * that process, so this function moves the file back.
 */
function setAside(file: string, stale: string, aside: string): void {
  try {
    renameSync(file, aside);
  } catch {
    return; // gone already
  }
  if (read(aside) !== stale) tryLink(aside, file);
  unlinkSync(aside);
}

function thisProcess(): Holder {
  return { pid: process.pid, started: startTime(process.pid), world: world(), since: new Date().toISOString() };
}

async function isAlive(holder: Holder, file: string): Promise<boolean> {
  if (holder.world === world()) {
    const started = startTime(holder.pid);
    return started === null ? false : started === holder.started;
  }
  const before = touched(file);
  if (Date.now() - before > 10 * WATCH_MS) return false;
  for (const deadline = Date.now() + WATCH_MS; Date.now() < deadline; await sleep(200)) {
    if (touched(file) !== before) return true;
  }
  return false;
}

const touched = (file: string): number => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** Process numbers are unique only within one boot of one machine and one process namespace. */
function world(): string {
  try {
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return 'unknown';
  }
}

/**
 * Ticks since boot at which a process started (field 22 of /proc/PID/stat, after the name in parentheses). Null: no
 * process has this ID.
 */
export function startTime(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? null : (fields[19] ?? null);
  } catch {
    return null;
  }
}

function parse(text: string): Holder | null {
  try {
    const value = JSON.parse(text) as Partial<Holder>;
    return Number.isInteger(value.pid) ? (value as Holder) : null;
  } catch {
    return null;
  }
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

const inUse = (dataDir: string, holder: Holder): StartError =>
  new StartError(
    `Another Parley (process ${holder.pid}, since ${holder.since}) is running on the data in ${dataDir}.`,
    'Stop it first, or give this one another folder with DATA_DIR and another PORT.',
  );
