import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { newestRelease } from '../../scripts/check-migrations.ts';

const ROOT = path.join(import.meta.dirname, '../..');

const git = (...args: string[]): string =>
  execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();

/**
 * Returns the commit of the newest release. `npm run release` commits facts.json together with the version, so the last
 * commit of that file is the release. Without this commit, for example in a shallow clone, the result is undefined.
 */
export function releaseCommit(): string | undefined {
  try {
    if (git('rev-parse', '--is-shallow-repository') === 'true') return undefined;
    const facts = `test/released/${newestRelease().version}/facts.json`;
    return git('log', '-1', '--format=%H', '--', facts) || undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns the sources of the commit and their packages, in a folder below the temporary folder of the system. The first
 * call on a machine may run npm, which needs 15 s of processor time.
 */
export function releasedSources(commit: string): string {
  // Each checkout has its own folder, because the folder uses the packages of the checkout that created it.
  const checkout = createHash('sha256').update(ROOT).digest('hex').slice(0, 8);
  const folder = path.join(tmpdir(), `parley-released-${commit.slice(0, 12)}-${checkout}`);
  if (existsSync(path.join(folder, 'node_modules'))) return folder;
  rmSync(folder, { recursive: true, force: true });
  const unfinished = `${folder}.${process.pid}`;
  mkdirSync(unfinished);
  try {
    const archive = execFileSync('git', ['archive', commit], { cwd: ROOT, maxBuffer: 1024 ** 3 });
    execFileSync('tar', ['-x', '-C', unfinished], { input: archive });
    givePackages(unfinished);
    renameSync(unfinished, folder);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    throw error;
  }
  return folder;
}

const lockfile = (at: string): string => readFileSync(path.join(at, 'package-lock.json'), 'utf8');

/** Uses the packages of this checkout if the lockfiles match, and otherwise installs the packages of the release. */
function givePackages(folder: string): void {
  if (lockfile(folder) === lockfile(ROOT)) symlinkSync(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'));
  else execFileSync('npm', ['ci', '--ignore-scripts', '--omit=dev', '--no-audit', '--no-fund'], { cwd: folder, stdio: 'ignore' }); // prettier-ignore
}
