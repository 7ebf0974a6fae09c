import { rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { makeFolder } from '../kernel/make-folder.ts';

/**
 * The demo's key expires after this time. After that time, the file with the key is deleted too (the file exists when
 * standard output is not a terminal).
 */
export const QUICKSTART_MS = 24 * 3_600_000;

export const quickstartFile = (dataDir: string): string => path.join(dataDir, 'quickstart-key');

/** For scripts. Unlike a log of standard output, only this user can read the file. */
export async function keepQuickstartKey(dataDir: string, value: string): Promise<void> {
  makeFolder(dataDir, 0o700);
  const file = quickstartFile(dataDir);
  await rm(file, { force: true });
  await writeFile(file, `${value}\n`, { mode: 0o600, flag: 'wx' });
}

/** Removes the file when its key has expired: now, or later at that time. */
export async function forgetQuickstartKey(dataDir: string): Promise<void> {
  const file = quickstartFile(dataDir);
  const made = await stat(file).catch(() => null);
  if (made === null) return;
  const left = made.mtimeMs + QUICKSTART_MS - Date.now();
  if (left <= 0) await rm(file, { force: true });
  else setTimeout(() => void rm(file, { force: true }).catch(() => {}), left).unref();
}
