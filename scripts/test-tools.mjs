/** Prepares the environment of the tests, which needs our Node, and programs that apt installs if it is allowed to. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { deployTools } from './deploy-tools.mjs';
import { npmTools } from './npm-tools.mjs';
import { COMPILED, ROOT, say } from './prepare.mjs';

/**
 * Some tests use the listed programs, and find them by an environment variable. Tests whose variable is missing are
 * skipped with a message. For a package with `names`, the listed names replace the packages after it. The first choice
 * is a browser without a graphical interface, because its pages need a third less processor time.
 */
const TOOLS = [
  {
    variable: 'TEST_CHROMIUM',
    what: 'a browser (Chromium)',
    packages: [
      { package: 'chromium-headless-shell', names: ['chromium-headless-shell', 'chrome-headless-shell'] },
      { package: 'chromium', names: ['chromium', 'chromium-browser', 'google-chrome'] },
    ],
  },
  {
    variable: 'TEST_REDIS_SERVER',
    what: 'redis-server',
    packages: [{ package: 'redis-server', names: ['redis-server'] }],
  },
  {
    variable: 'TEST_PGBOUNCER',
    what: 'PgBouncer',
    packages: [{ package: 'pgbouncer', names: ['pgbouncer'] }],
  },
  {
    variable: 'TEST_POSTGRES',
    what: "the system's PostgreSQL",
    packages: [{ package: 'postgresql', names: ['postgres'], folders: debianPostgres }],
  },
  {
    variable: 'TEST_HTTPX',
    what: 'httpx for Python',
    packages: [{ package: 'python3-httpx', names: ['httpx'], folders: () => ['/usr/lib/python3/dist-packages'] }],
  },
];

/** The listed programs are for long tests that run as root. Every program in the list `also` must exist too. */
const CONTAINERS = {
  variable: 'TEST_PODMAN',
  what: 'podman and what it needs to build and run containers',
  packages: [
    {
      package: 'podman buildah runc debootstrap netavark aardvark-dns iptables',
      names: ['podman'],
      also: ['buildah', 'runc', 'debootstrap', 'netavark', 'aardvark-dns', 'iptables'],
      folders: () => [...programFolders(), '/usr/lib/podman'],
    },
  ],
};

/** Debian has a folder for each version of PostgreSQL, and the oldest version that Parley supports comes first. */
function debianPostgres() {
  const versions = '/usr/lib/postgresql';
  if (!existsSync(versions)) return [];
  const found = readdirSync(versions).filter((version) => Number(version) >= 15);
  return found.toSorted((a, b) => a - b).map((version) => path.join(versions, version, 'bin'));
}

/** Installs Deno and Bun, for long tests only (200 MB). */
const runtimes = () =>
  npmTools({ name: 'runtimes', source: path.join(ROOT, 'sdk', 'test', 'runtimes'), what: 'Deno and Bun' });

export function testEnvironment({ long = false } = {}) {
  const found = TOOLS.map((tool) => [tool.variable, process.env[tool.variable] ?? find(tool)]);
  found.push(['TEST_DEPLOY_TOOLS', deployTools()]);
  if (long) found.push(['TEST_RUNTIMES', runtimes()], [CONTAINERS.variable, containers()]);
  const modules = path.join(ROOT, 'node_modules');
  return {
    ...process.env,
    ...Object.fromEntries(found.filter(([, file]) => file)),
    // Tests that start `node` by name get our Node instead of the system's.
    PATH: `${path.join(modules, '.bin')}${path.delimiter}${process.env.PATH ?? ''}`,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? COMPILED,
  };
}

/** podman needs root and namespaces, which containers often do not have. */
function containers() {
  if (process.env[CONTAINERS.variable]) return process.env[CONTAINERS.variable];
  const isAllowed = process.getuid?.() === 0 && spawnSync('unshare', ['--mount', '--net', 'true']).status === 0;
  if (isAllowed) return find(CONTAINERS);
  say('Containers need root and namespaces; the tests that need them will be skipped.');
  return undefined;
}

/** Returns the first package of the list that exists or can be installed. */
function find(tool) {
  const canInstall = process.getuid?.() === 0 && !spawnSync('apt-get', ['--version']).error;
  for (const one of tool.packages) {
    const file = locate(one) ?? (canInstall ? install(tool, one) : undefined);
    if (file) return file;
  }
  const [{ package: name }] = tool.packages;
  say(
    canInstall
      ? `${tool.what} could not be installed; the tests that need it will be skipped.`
      : `${tool.what} is not installed; the tests that need it will be skipped ("apt-get install ${name}" brings it on Debian).`,
  );
  return undefined;
}

function locate({ names, also = [], folders = programFolders }) {
  const isThere = (name) => folders().some((at) => existsSync(path.join(at, name)));
  if (!also.every(isThere)) return undefined;
  return names.flatMap((name) => folders().map((at) => path.join(at, name))).find((file) => existsSync(file));
}

const programFolders = () =>
  [...(process.env.PATH ?? '').split(path.delimiter), '/usr/bin', '/usr/sbin', '/usr/local/bin', '/snap/bin'].filter(
    Boolean,
  );

function install(tool, one) {
  say(`Installing ${tool.what} for the tests that need it (once, about a minute)…`);
  const isInstalled = () => apt('install', '-y', '--no-install-recommends', ...one.package.split(' ')).status === 0;
  if (!isInstalled()) {
    apt('update');
    isInstalled();
  }
  return locate(one);
}

function apt(...args) {
  return spawnSync('apt-get', args, { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }, encoding: 'utf8' });
}
