import { rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { makeFolder } from '../kernel/make-folder.ts';

/**
 * The demo's key expires after this time. After this time, the file with the key is deleted too (the file exists if
 * standard output is not a terminal).
 */
export const QUICKSTART_MS = 24 * 3_600_000;

export const quickstartFile = (dataDir: string): string => path.join(dataDir, 'quickstart-key');

/** Writes the key to a file for scripts. Unlike a log of standard output, only this user can read the file. */
export async function keepQuickstartKey(dataDir: string, value: string): Promise<void> {
  makeFolder(dataDir, 0o700);
  const file = quickstartFile(dataDir);
  await rm(file, { force: true });
  await writeFile(file, `${value}\n`, { mode: 0o600, flag: 'wx' });
}

/** Removes the file immediately if its key has expired, or else when it expires. */
export async function forgetQuickstartKey(dataDir: string): Promise<void> {
  const file = quickstartFile(dataDir);
  const made = await stat(file).catch(() => null);
  if (made === null) return;
  const left = made.mtimeMs + QUICKSTART_MS - Date.now();
  if (left <= 0) await rm(file, { force: true });
  else setTimeout(() => void rm(file, { force: true }).catch(() => {}), left).unref();
}
