import { once } from 'node:events';
import {
  accessSync,
  chownSync,
  constants,
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import path from 'node:path';
import { makeFolder } from '../../kernel/make-folder.ts';
import { StartError } from '../../kernel/start-error.ts';
import type { Binaries } from './binaries.ts';
import { type RunAs, spawnAs } from './run-as.ts';

const UNFINISHED = 'postgres.unfinished-';

export const clusterFolder = (dataDir: string): string => path.join(dataDir, 'postgres');

/**
 * Creates the data folder if needed. Other users may enter the folder, because the database may run as another user,
 * but they cannot list it. Each file in the folder has its own permissions.
 */
export function prepareDataFolder(dataDir: string): void {
  try {
    makeFolder(dataDir, 0o711);
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new StartError(
      `The data folder ${dataDir} cannot be ${existsSync(dataDir) ? 'written' : 'made'} (${reason(error)}).`,
      'Give this user write permission there, or set another folder with DATA_DIR.',
      { cause: error },
    );
  }
}

/**
 * Creates a new cluster if the folder has no cluster. The cluster is created under another name and renamed when it is
 * complete, so that neither a full disk nor a kill leaves an incomplete database.
 */
export async function ensureCluster(dataDir: string, binaries: Binaries, runAs: RunAs): Promise<void> {
  for (const name of readdirSync(dataDir)) {
    if (name.startsWith(UNFINISHED)) rmSync(path.join(dataDir, name), { recursive: true, force: true });
  }
  const cluster = clusterFolder(dataDir);
  if (existsSync(cluster)) {
    checkVersion(cluster, binaries.major);
    return;
  }
  const unfinished = mkdtempSync(path.join(dataDir, UNFINISHED));
  try {
    if (runAs.how !== 'same') chownSync(unfinished, runAs.uid, runAs.gid);
    await initdb(unfinished, dataDir, binaries, runAs);
    renameSync(unfinished, cluster);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    throw error;
  }
}

function checkVersion(cluster: string, major: number): void {
  let text: string;
  try {
    if (statSync(cluster).uid !== process.getuid!() && process.getuid!() !== 0)
      throw new Error('it belongs to another user');
    text = readFileSync(path.join(cluster, 'PG_VERSION'), 'utf8').trim();
  } catch (error) {
    throw new StartError(
      `The database in ${cluster} cannot be read (${reason(error)}).`,
      'Start Parley as the user who created it (or as root), or set another folder with DATA_DIR.',
      { cause: error },
    );
  }
  if (Number(text) === major) return;
  const newer = Number(text) > major;
  throw new StartError(
    `The data in ${cluster} is of PostgreSQL ${text}, and this version of Parley contains PostgreSQL ${major}.`,
    newer
      ? 'Start the newer version of Parley, or restore a backup into another DATA_DIR.'
      : 'Make a backup with the version of Parley that created it ("./parley backup"), and restore it into a new DATA_DIR with this one.',
  );
}

/**
 * The database sorts by bytes, which is fast and never changes with a system update, and knows upper and lower case of
 * all of Unicode. Authentication is `trust`, because only the database's user and root can enter the folder of the
 * socket, and both can read the data files too.
 */
const INITDB = [
  '--username=postgres',
  '--auth=trust',
  '--encoding=UTF8',
  '--locale=C',
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
  '--data-checksums',
  '--set=timezone=UTC',
];

async function initdb(folder: string, dataDir: string, binaries: Binaries, runAs: RunAs): Promise<void> {
  const child = spawnAs(runAs, binaries.initdb, ['-D', folder, ...INITDB], ['ignore', 'pipe', 'pipe']);
  let output = '';
  const collect = (chunk: Buffer): void => {
    output = (output + chunk.toString('utf8')).slice(-4_000);
  };
  child.stdout!.on('data', collect);
  child.stderr!.on('data', collect);
  const [code] = (await once(child, 'close').catch((error: unknown) => {
    throw cannotRun(binaries.initdb, error);
  })) as [number | null];
  if (code !== 0) throw explainInitdb(output, dataDir, runAs);
}

function explainInitdb(output: string, dataDir: string, runAs: RunAs): StartError {
  if (/No space left|Disk quota|File too large/.test(output)) {
    return new StartError(
      `The disk is full: the database could not be created in ${dataDir} (a new database needs about 50 MB). Nothing was left behind.`,
      'Free some space, or set a folder on another disk with DATA_DIR.',
    );
  }
  if (/could not look up effective user/.test(output)) {
    return new StartError(
      `The user id ${runAs.uid} has no name on this system, and Postgres requires a name.`,
      'Start Parley as a user who is listed in /etc/passwd, or set DATABASE_URL.',
    );
  }
  const lines = output.trim().split('\n');
  const line = lines.findLast((text) => /error|fatal/i.test(text)) ?? lines.at(-1);
  return new StartError(
    `The database could not be created in ${dataDir}: ${line}`,
    'Correct the reported problem, set another folder with DATA_DIR, or set DATABASE_URL to a PostgreSQL server.',
  );
}

export const cannotRun = (program: string, error: unknown): StartError =>
  new StartError(
    `The embedded database does not run on this system (${program}: ${reason(error)}).`,
    'It needs Linux with glibc (Debian, Ubuntu, Fedora, …); elsewhere set DATABASE_URL to a PostgreSQL server (15 or newer).',
    { cause: error },
  );

/** The usual error message of the system for the code of the error. */
export function reason(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  const words: Record<string, string> = {
    EACCES: 'permission denied',
    EPERM: 'permission denied',
    EROFS: 'the file system is read-only',
    ENOSPC: 'the disk is full',
    EDQUOT: 'the disk quota is used up',
    ENOTDIR: 'a part of the path is a file',
    EEXIST: 'there is a file of that name',
    ENOENT: 'there is no such file',
  };
  return words[code ?? ''] ?? message;
}
