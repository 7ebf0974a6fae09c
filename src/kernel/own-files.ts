import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

/**
 * Only this file computes the paths of Parley's own files. `dist/` has the same folders as the checkout (`migrations`,
 * `docs`, `dashboard/dist`), so a path is the same for the sources and for the bundle. Only the extension of a program
 * differs. A bundled file has another depth than its source, so the root is found by its package.json in both cases.
 */
const ROOT = rootAbove(import.meta.dirname);
const ENDING = path.extname(import.meta.filename);

export const ownFile = (place: string): string => path.join(ROOT, place);

/**
 * Returns the path of a program that runs in a separate process or thread, such as `src/main` or
 * `src/answering/knowledge/thread`.
 */
export const ownProgram = (place: string): string => ownFile(place + ENDING);

export const ownVersion = (): string =>
  (JSON.parse(readFileSync(ownFile('package.json'), 'utf8')) as { version: string }).version;

function rootAbove(folder: string): string {
  return existsSync(path.join(folder, 'package.json')) ? folder : rootAbove(path.dirname(folder));
}
