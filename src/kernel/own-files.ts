import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

/**
 * Where our own files are: the one place that knows. `dist/` keeps the folders of the checkout (`migrations`,
 * `docs`, `dashboard/dist`), so a path is the same for the sources and for the bundle; only the ending of a program
 * differs. A bundled file lies at another depth than its source: the folder with package.json is the root of both.
 */
const ROOT = rootAbove(import.meta.dirname);
const ENDING = path.extname(import.meta.filename);

export const ownFile = (place: string): string => path.join(ROOT, place);

/** A program of ours that runs by itself, in a process or a thread: `src/main`, `src/answering/knowledge/thread`. */
export const ownProgram = (place: string): string => ownFile(place + ENDING);

export const ownVersion = (): string =>
  (JSON.parse(readFileSync(ownFile('package.json'), 'utf8')) as { version: string }).version;

function rootAbove(folder: string): string {
  return existsSync(path.join(folder, 'package.json')) ? folder : rootAbove(path.dirname(folder));
}
