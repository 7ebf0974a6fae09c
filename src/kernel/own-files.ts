import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

/**
 * The paths of our own files. Only this file computes such paths. `dist/` has the same folders as the checkout
 * (`migrations`, `docs`, `dashboard/dist`), so a path is the same for the sources and for the bundle. Only the ending
 * of a program differs. A bundled file has another depth than its source, so the root is found by its package.json in
 * both cases.
 */
const ROOT = rootAbove(import.meta.dirname);
const ENDING = path.extname(import.meta.filename);

export const ownFile = (place: string): string => path.join(ROOT, place);

/**
 * The path of a program of ours that runs on its own, in a process or a thread: `src/main`,
 * `src/answering/knowledge/thread`.
 */
export const ownProgram = (place: string): string => ownFile(place + ENDING);

export const ownVersion = (): string =>
  (JSON.parse(readFileSync(ownFile('package.json'), 'utf8')) as { version: string }).version;

function rootAbove(folder: string): string {
  return existsSync(path.join(folder, 'package.json')) ? folder : rootAbove(path.dirname(folder));
}
