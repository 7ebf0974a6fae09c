import { mkdirSync, statSync } from 'node:fs';
import path from 'node:path';

/**
 * A folder and those above it. Not `recursive` of mkdirSync: that turns for ever, at full speed, where the system says "no
 * such file" below a folder that is there, as it does in /proc (seen with Node 20 to 24).
 */
export function makeFolder(folder: string, mode: number): void {
  if (isFolder(folder)) return;
  makeFolder(path.dirname(folder), mode);
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    // Another process may have been quicker.
    if (!isFolder(folder)) throw error;
  }
}

const isFolder = (name: string): boolean => statSync(name, { throwIfNoEntry: false })?.isDirectory() ?? false;
