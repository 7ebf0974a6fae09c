/**
 * Creates everything that a program needs after a fresh clone: packages, runtime and builds. This script is plain
 * JavaScript for Node 20 without packages, because it runs before they are installed. The script takes a few
 * milliseconds if nothing is missing. The script can be interrupted at any moment and two processes can run it at the
 * same time. The script prints to stderr, so that the output of commands stays clean.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  accessSync,
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  rmdirSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

const MODULES = path.join(ROOT, 'node_modules');
const LOCKFILE = path.join(ROOT, 'package-lock.json');
/**
 * The marker contains the hash of the installed lockfile and is written last, so a missing marker means an interrupted
 * installation.
 */
const MARKER = path.join(MODULES, '.parley-installed');
const BUNDLED_NODE = path.join(MODULES, '.bin', 'node');
const NODE_NEEDED = 24;
/**
 * Node compiles the program once and reads the result on later starts, which saves half a second. Node's compiled code
 * is stored among the packages, where only the owner of the folder can write.
 */
export const COMPILED = path.join(MODULES, '.cache', 'compiled');
const SAY_SO_EVERY_MS = 15_000;

/** An error that the script prints as a sentence, without a stack. */
export class SetupError extends Error {}

export const say = (text) => process.stderr.write(`${text}\n`);

/** Runs `main`, and reports a setup error as one sentence with exit code 1. */
export async function run(main, onFault = () => {}) {
  try {
    process.exitCode = await main();
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    say(error.message);
    process.exitCode = 1;
    onFault();
  }
}

/**
 * Installs and builds the missing parts. The part `program` means the server and the command line in dist/, and `sites`
 * means the files for browsers. Returns the path of the Node that runs Parley.
 */
export async function prepare({ program = false, sites = false } = {}) {
  if (!isInstalled()) await withLock('install', 'installing the packages', installUnlessDone);
  const node = findNode();
  if (program) await buildProgram(node);
  if (sites) for (const site of SITES) await buildSite(node, site);
  if (program && sites) for (const site of SITES) copySite(site);
  return node;
}

/** Runs a program with the same output, signals and exit code. */
export function runInPlace(command, args, options = {}) {
  const env = { NODE_COMPILE_CACHE: COMPILED, ...process.env };
  const child = spawn(command, args, { stdio: 'inherit', env, ...options });
  // A terminal sends Ctrl-C to every process of the group, and a second signal would interrupt a graceful stop.
  const forward = (signal) => {
    if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => forward(signal));
  // If npm is killed, its child processes get no signal and would run forever.
  const parent = process.ppid;
  const watch = process.env.npm_lifecycle_event
    ? setInterval(() => process.ppid !== parent && child.kill('SIGTERM'), 500)
    : undefined;
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(new SetupError(`${command} cannot be started: ${error.message}.`)));
    child.once('exit', (code, signal) => {
      clearInterval(watch);
      resolve(signal ? 128 + (SIGNAL_NUMBERS[signal] ?? 1) : code);
    });
  });
}

const SIGNAL_NUMBERS = { SIGHUP: 1, SIGINT: 2, SIGQUIT: 3, SIGABRT: 6, SIGKILL: 9, SIGSEGV: 11, SIGTERM: 15 };

// --- packages

const lockfileHash = () => createHash('sha256').update(readFileSync(LOCKFILE)).digest('hex');

function isInstalled() {
  if (!existsSync(path.join(MODULES, 'fastify', 'package.json'))) return false;
  const hash = lockfileHash();
  if (existsSync(MARKER) && readFileSync(MARKER, 'utf8') === hash) return true;
  if (!isInstalledByHand()) return false;
  try {
    writeFileSync(MARKER, hash);
  } catch {
    // The folder is read-only, so the hashes are compared again next time.
  }
  return true;
}

/** After a manual "npm ci", npm's list of installed packages matches the lockfile, because npm writes the list last. */
function isInstalledByHand() {
  const list = path.join(MODULES, '.package-lock.json');
  if (!existsSync(list)) return false;
  const { packages: there } = JSON.parse(readFileSync(list, 'utf8'));
  const { packages: wanted } = JSON.parse(readFileSync(LOCKFILE, 'utf8'));
  return Object.entries(wanted).every(([name, { version, optional }]) => {
    return name === '' || there[name]?.version === version || (optional && there[name] === undefined);
  });
}

async function installUnlessDone() {
  if (isInstalled()) return; // another process did it while we waited
  say('Installing the packages (first start only, about a minute)…');
  const begun = Date.now();
  const progress = setInterval(() => say(`… still installing (${seconds(begun)} s)`), SAY_SO_EVERY_MS);
  const home = usableHome();
  try {
    const { code, output } = await runNpm(
      [
        'ci',
        '--ignore-scripts',
        '--include=dev',
        '--include=optional',
        '--no-audit',
        '--no-fund',
        '--no-update-notifier',
        '--no-progress',
        '--loglevel=error',
      ],
      home,
    );
    if (code !== 0) throw explainNpm(output);
    writeFileSync(MARKER, lockfileHash());
    say(`The packages are installed (${seconds(begun)} s).`);
  } finally {
    clearInterval(progress);
    if (home.temporary) rmSync(home.folder, { recursive: true, force: true });
  }
}

const seconds = (begun) => Math.round((Date.now() - begun) / 1000);

/** The cache of npm is in the home folder. If the home folder is not writable, npm gets a temporary cache. */
function usableHome() {
  const folder = process.env.HOME;
  try {
    if (folder && path.isAbsolute(folder)) {
      accessSync(folder, constants.W_OK | constants.X_OK);
      return { folder, temporary: false };
    }
  } catch {
    // The folder does not exist, or it belongs to another user.
  }
  return { folder: mkdtempSync(path.join(tmpdir(), 'parley-npm-')), temporary: true };
}

function runNpm(args, home) {
  // The variable that "npm start" sets has the path of its npm, and without the variable the npm on the PATH is used.
  const running = process.env.npm_execpath;
  const [command, ...first] = running && /npm-cli\.[cm]?js$/.test(running) ? [process.execPath, running] : ['npm'];
  const env = { ...process.env, HOME: home.folder };
  // The inner npm would read settings of the outer npm, such as its cache folder.
  if (home.temporary) env.npm_config_cache = path.join(home.folder, 'cache');
  const child = spawn(command, [...first, ...args], { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  const collect = (chunk) => {
    output = (output + chunk).slice(-8_000);
  };
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  // After an error, npm itself would continue to the end and then undo everything, but the next start removes
  // incomplete work anyway.
  let stopped = false;
  const stop = () => {
    stopped = true;
    child.kill('SIGKILL');
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop);
  noteChild(child.pid);
  return new Promise((resolve, reject) => {
    child.once('error', (error) => {
      reject(
        new SetupError(
          error.code === 'ENOENT'
            ? 'npm is not installed: install Node.js 20 or newer with npm, and start again.'
            : `npm cannot be started: ${error.message}.`,
        ),
      );
    });
    child.once('close', (code) => {
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.off(signal, stop);
      if (stopped) reject(new SetupError('Stopped. The next start goes on with the installation.'));
      else resolve({ code, output });
    });
  });
}

function explainNpm(output) {
  if (
    /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ECONNRESET|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|network/i.test(
      output,
    )
  ) {
    return new SetupError(
      'The packages could not be fetched: the package registry does not answer. Check the network or the proxy (npm config set proxy …), and start again.',
    );
  }
  if (/ENOSPC|EDQUOT/.test(output)) {
    return new SetupError(
      `The disk is full: the packages need about 700 MB in ${MODULES}. Free some space, and start again.`,
    );
  }
  if (/EACCES|EPERM|EROFS/.test(output)) {
    return new SetupError(
      `The packages cannot be written to ${MODULES}. Start once as the owner of ${ROOT}, or make a clone of your own.`,
    );
  }
  const said = output
    .trim()
    .split('\n')
    .filter((line) => !/complete log of this run/.test(line));
  return new SetupError(
    `The packages could not be installed; npm says:\n${said.slice(-12).join('\n')}\nCorrect that, and start again.`,
  );
}

// --- The Node that runs Parley

function findNode() {
  if (existsSync(BUNDLED_NODE) && process.platform === 'linux') {
    const { status } = spawnSync(BUNDLED_NODE, ['-e', '0']);
    if (status === 0) return BUNDLED_NODE;
  }
  if (Number.parseInt(process.versions.node, 10) >= NODE_NEEDED) return process.execPath;
  throw new SetupError(
    `Parley runs on Node.js ${NODE_NEEDED}. npm brings it along on Linux with glibc (x64 and arm64); on this system (${process.platform}, ${process.arch}) install Node.js ${NODE_NEEDED} or newer, and start again.`,
  );
}

// --- The builds

const DIST = path.join(ROOT, 'dist');
const SITES = [
  { name: 'dashboard', called: 'the dashboard' },
  { name: 'widget', called: 'the web chat' },
];

/** Builds the server and the command line, as `dist/` (bundle.mjs). */
async function buildProgram(node) {
  const sources = ['src', 'contract', 'cli', 'migrations', 'docs', 'package.json', 'README.md'];
  const tools = ['scripts/bundle.mjs', 'scripts/parley.js'];
  await buildIfStale(DIST, [...sources, ...tools], { name: 'program', called: 'the program' }, () =>
    runBuild(node, [path.join(ROOT, 'scripts', 'bundle.mjs')], ROOT),
  );
}

/** The files for browsers depend on their own sources and on the shared contract. */
async function buildSite(node, site) {
  const folder = path.join(ROOT, site.name);
  const vite = path.join(MODULES, 'vite', 'bin', 'vite.js');
  await buildIfStale(path.join(folder, 'dist'), [site.name, 'contract'], site, () =>
    runBuild(node, [vite, 'build', '--logLevel', 'warn'], folder),
  );
}

/**
 * `dist/` contains a copy of each site. The copy of a site is newer than its sources, so that the quick check of
 * ./parley accepts the copy.
 */
function copySite({ name }) {
  const from = path.join(ROOT, name, 'dist');
  const to = path.join(DIST, name, 'dist');
  const marker = path.join(to, '.built-from');
  if (!existsSync(marker) || readFileSync(marker, 'utf8') !== readFileSync(path.join(from, '.built-from'), 'utf8')) {
    rmSync(to, { recursive: true, force: true });
    cpSync(from, to, { recursive: true });
  }
  touch(marker, statSync(path.join(from, '.built-from')).mtime);
}

/** Builds `folder` if the recorded hash of its sources differs from the current one. */
async function buildIfStale(folder, sources, { name, called }, build) {
  const note = path.join(folder, '.built-from');
  const isBuilt = () => {
    const begun = new Date();
    if (!existsSync(note) || readFileSync(note, 'utf8') !== hashOf(sources)) return false;
    touch(note, begun);
    return true;
  };
  if (isBuilt()) return;
  await withLock(name, `building ${called}`, async () => {
    if (isBuilt()) return;
    say(`Building ${called} (a few seconds)…`);
    const begun = new Date();
    const hash = hashOf(sources);
    const fault = build();
    if (fault) throw new SetupError(`${called} could not be built:\n${fault}`);
    writeFileSync(note, hash);
    // The recorded time is the start of the build, so a source that changed during the build is newer.
    touch(note, begun);
  });
}

/** Returns the output of a failed build, or null if the build succeeded. */
function runBuild(node, args, cwd) {
  const { status, stdout, stderr } = spawnSync(node, args, { cwd, encoding: 'utf8' });
  return status === 0 ? null : `${stdout}${stderr}`.trim().split('\n').slice(-20).join('\n');
}

function touch(file, at) {
  try {
    utimesSync(file, at, at);
  } catch {
    // The folder is read-only, so the hashes are compared again next time.
  }
}

function hashOf(sources) {
  const hash = createHash('sha256').update(readFileSync(LOCKFILE));
  for (const source of sources) {
    for (const file of filesOf(path.join(ROOT, source))) {
      hash.update(`\0${path.relative(ROOT, file)}\0`).update(readFileSync(file));
    }
  }
  return hash.digest('hex');
}

/** Returns all source files except tests and build output. */
function filesOf(source) {
  if (!statSync(source).isDirectory()) return [source];
  return readdirSync(source, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
    .map((entry) => path.join(entry.parentPath ?? entry.path, entry.name))
    .filter((file) => !/^(dist|node_modules)\//.test(path.relative(source, file)))
    .sort();
}

// --- One process at a time

/**
 * Remembers the program that the owner of the lock has started. If the owner of the lock is killed, the lock lasts
 * until the started program ends.
 */
let noteChild = () => {};

/**
 * A folder serves as a lock, because only one process can create it. The folder of the lock contains the owner's
 * process ID. The lock of a dead owner is removed.
 */
async function withLock(name, doing, work) {
  const folder = path.join(ROOT, '.parley', `${name}.lock`);
  const note = path.join(folder, 'pid');
  let told = false;
  for (;;) {
    try {
      mkdirSync(path.dirname(folder), { recursive: true });
      mkdirSync(folder);
      writeFileSync(note, named(process.pid));
      noteChild = (pid) => writeFileSync(note, `${named(process.pid)} ${named(pid)}`);
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') {
        throw new SetupError(
          `${ROOT} cannot be written (${error.code}). Start once as its owner, or make a clone of your own.`,
        );
      }
      if (!told) {
        await pause(200); // the holder may not have written its number yet
        told = true;
      }
      if (!isHolderAlive(note)) rmSync(folder, { recursive: true, force: true });
      else {
        say(`Another process is ${doing}. Waiting for it…`);
        while (isHolderAlive(note)) await pause(500);
      }
    }
  }
  const release = () => {
    rmSync(note, { force: true });
    try {
      rmdirSync(folder);
    } catch {
      // Another process has already removed the lock.
    }
  };
  process.once('exit', release);
  try {
    return await work();
  } finally {
    process.off('exit', release);
    release();
  }
}

function isHolderAlive(note) {
  return (
    existsSync(note) &&
    readFileSync(note, 'utf8')
      .split(' ')
      .some((text) => isAlive(...text.split(':')))
  );
}

/**
 * Identifies a process by its ID and its start time, because a restart of the machine or container can reuse the ID.
 */
const named = (pid) => `${pid}:${startOf(pid)}`;

/** Returns the start time in ticks since the system started (field 22 of proc(5)), or an empty text without /proc. */
function startOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return '';
  }
}

function isAlive(text, start = '') {
  const pid = Number(text);
  if (start !== '' && start !== startOf(pid)) return false;
  // kill(2) treats IDs below 2 as process groups.
  if (!Number.isInteger(pid) || pid < 2) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
