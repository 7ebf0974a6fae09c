import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const ROOT = path.resolve(import.meta.dirname, '..');
const MB = 1_048_576;
const run = promisify(execFile);

/** Our Node is first on the PATH, because the package's command starts the first Node on it. */
export const PATH = `${path.dirname(process.execPath)}${path.delimiter}${process.env.PATH}`;

/**
 * Deno and Bun are for long tests, and scripts/test-tools.mjs installs both programs. The path is undefined if the
 * installation failed.
 */
export const RUNTIMES = process.env.TEST_RUNTIMES;

/** Packs the npm package into a folder, like a release. Returns the file name of the package. */
export async function packPackage(folder: string, env: NodeJS.ProcessEnv = process.env): Promise<string> {
  const packed = await run('npm', ['pack', '--json', path.join(ROOT, 'dist')], { cwd: folder, env });
  const [{ filename }] = JSON.parse(packed.stdout) as [{ filename: string }];
  return filename;
}

/** Builds the npm package if it is out of date, packs it, and installs it into an empty folder with an empty home. */
export async function installPackage(...options: string[]): Promise<{ folder: string; home: string }> {
  await run(process.execPath, [path.join(ROOT, 'scripts', 'set-up.mjs'), '--program', '--sites'], { cwd: ROOT });
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-package-'));
  const home = path.join(folder, 'home');
  mkdirSync(home);
  // npm looks for the settings of this machine next to the Node that runs it. With our Node, npm would not find the
  // settings of this machine.
  const settings = process.env['npm_config_globalconfig'];
  const env = { PATH, HOME: home, ...(settings !== undefined && { npm_config_globalconfig: settings }) };
  const file = `./${await packPackage(folder, env)}`;
  await run('npm', ['install', '--no-audit', '--no-fund', ...options, file], { cwd: folder, env });
  return { folder, home };
}

export const megabytes = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(path.join(entry.parentPath, entry.name)).size, 0) / MB;
