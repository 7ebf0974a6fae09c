import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Failure } from './failure.ts';

/** One signed-in session. The text `cookie` is the complete value of a Cookie header and as secret as a password. */
export type SavedSession = { email: string; cookie: string; saved_at: string };

type SessionsByServer = Record<string, SavedSession>;

const FILE = 'sessions.json';

/** Returns the stored session for this server, or null. */
export function loadSession(folder: string | null, url: string): SavedSession | null {
  return folder === null ? null : (readAll(folder)[url] ?? null);
}

export function saveSession(folder: string | null, url: string, session: SavedSession): void {
  writeAll(folder, { ...(folder === null ? {} : readAll(folder)), [url]: session });
}

export function forgetSession(folder: string | null, url: string): void {
  if (folder === null) return;
  const { [url]: forgotten, ...rest } = readAll(folder);
  if (forgotten !== undefined) writeAll(folder, rest);
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
 * The session file is written under another name and then renamed, so that a crash or a second command never leaves
 * half a file. Only its owner can read the session file.
 */
function writeAll(folder: string | null, all: SessionsByServer): void {
  if (folder === null) {
    throw new Failure(
      'config_unusable',
      'The session cannot be stored, because HOME is not set. Set PARLEY_CONFIG_DIR to a folder, or use PARLEY_TOKEN instead of login.',
    );
  }
  const path = join(folder, FILE);
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    makeFolder(folder);
    writeFileSync(draft, `${JSON.stringify(all, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
    chmodSync(draft, 0o600);
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw unusable(path, error);
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
