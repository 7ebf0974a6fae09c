import { mkdirSync, statSync } from 'node:fs';
import path from 'node:path';

/**
 * Creates a folder and its parents. The function does not use the option `recursive` of mkdirSync, which loops forever
 * at full speed when the system reports "no such file" below an existing folder, as in /proc (seen with Node 20 to 24).
 */
export function makeFolder(folder: string, mode: number): void {
  if (isFolder(folder)) return;
  makeFolder(path.dirname(folder), mode);
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    // Another process may have created the folder first.
    if (!isFolder(folder)) throw error;
  }
}

const isFolder = (name: string): boolean => statSync(name, { throwIfNoEntry: false })?.isDirectory() ?? false;
