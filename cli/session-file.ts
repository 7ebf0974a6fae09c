import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Failure } from './failure.ts';

/** One signed-in session. The text `cookie` is the complete value of a Cookie header and as secret as a password. */
export type SavedSession = { email: string; cookie: string; saved_at: string };

type SessionsByServer = Record<string, SavedSession>;

const FILE = 'sessions.json';
/** A command holds the lock for a few milliseconds. After five seconds, the command that took the lock has crashed. */
const LOCK_TRIES = 100;
const LOCK_PAUSE_MS = 50;

/** Returns the stored session for this server, or null. */
export function loadSession(folder: string | null, url: string): SavedSession | null {
  return folder === null ? null : (readAll(folder)[url] ?? null);
}

export async function saveSession(folder: string | null, url: string, session: SavedSession): Promise<void> {
  if (folder === null) {
    throw new Failure(
      'config_unusable',
      'The session cannot be stored, because HOME is not set. Set PARLEY_CONFIG_DIR to a folder, or use PARLEY_TOKEN instead of login.',
    );
  }
  await change(folder, (all) => ({ ...all, [url]: session }));
}

export async function forgetSession(folder: string | null, url: string): Promise<void> {
  if (folder === null || loadSession(folder, url) === null) return;
  await change(folder, ({ [url]: _forgotten, ...rest }) => rest);
}

function readAll(folder: string): SessionsByServer {
  const path = join(folder, FILE);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw unusable(path, error);
  }
  try {
    const all: unknown = JSON.parse(text);
    if (typeof all === 'object' && all !== null && !Array.isArray(all)) return all as SessionsByServer;
  } catch {
    // The code below reports invalid JSON like any other invalid content.
  }
  throw new Failure('config_unusable', `${path} is damaged: delete it and run "./parley login" again.`);
}

/**
 * The new content is written to a second file, which is also the lock between commands, and then replaces the session
 * file. A crash never leaves half a session file. Only its owner can read the session file.
 */
async function change(folder: string, edit: (all: SessionsByServer) => SessionsByServer): Promise<void> {
  const path = join(folder, FILE);
  const draft = `${path}.lock`;
  await lock(folder, path, draft);
  try {
    const text = `${JSON.stringify(edit(readAll(folder)), null, 2)}\n`;
    chmodSync(draft, 0o600);
    writeFileSync(draft, text);
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error instanceof Failure ? error : unusable(path, error);
  }
}

async function lock(folder: string, path: string, draft: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      makeFolder(folder);
      return writeFileSync(draft, '', { mode: 0o600, flag: 'wx' });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw unusable(path, error);
    }
    if (tries === LOCK_TRIES)
      throw new Failure('config_unusable', `${draft} exists: if no other command of yours runs, delete this file.`);
    await pause(LOCK_PAUSE_MS);
  }
}

/**
 * The folders are created one by one, because `recursive` of mkdirSync never returns where the system allows no new
 * folders (as in /proc).
 */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

const unusable = (path: string, error: unknown): Failure =>
  new Failure(
    'config_unusable',
    `${path} cannot be used (${(error as NodeJS.ErrnoException).code ?? 'unknown fault'}): make it accessible, or set PARLEY_CONFIG_DIR to another folder.`,
    { cause: error },
  );
