/**
 * The command `npm run release -- patch|minor|major|X.Y.Z [--dry-run]` creates a release of the committed state. The
 * release refuses uncommitted changes and failed checks. The release writes the version, saves a database backup of
 * this version for the tests (test/released/README.md), creates the packages, and commits and tags at the end. The
 * release does not push or publish anything. A failed release restores all files. With `--dry-run`, the release changes
 * nothing.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT, run, say, SetupError } from './prepare.mjs';

const OUT = path.join(ROOT, 'release');
const CHART = path.join('deploy', 'helm', 'parley');
const PARTS = ['major', 'minor', 'patch'];
/** The pattern finds the text below the heading "Unreleased", up to the next heading or the end. */
const UNRELEASED = /^## \[Unreleased\]\n+(?:The next version is [^\n]*\n+)?([\s\S]*?)(?=^## \[|(?![\s\S]))/m;

const read = (file) => readFileSync(path.join(ROOT, file), 'utf8');
const write = (file, text) => writeFileSync(path.join(ROOT, file), text);

await run(async () => {
  const dry = process.argv.includes('--dry-run');
  const wanted = process.argv.slice(2).filter((word) => word !== '--dry-run');
  const version = nextVersion(wanted, JSON.parse(read('package.json')).version);
  const changes = unreleased(read('CHANGELOG.md'));
  insistOnClean(version);
  call('npm', ['run', '--silent', 'check'], 'The check fails: nothing was released.');
  say(`\nVersion ${version}:\n\n${changes}\n`);
  if (dry) return void say('A dry run: nothing was changed.');
  try {
    writeVersion(version, changes);
    pack(version);
    call('git', ['add', '--all']);
    call('git', ['commit', '--quiet', '--message', `release: ${version}`]);
    call('git', ['tag', '--annotate', `v${version}`, '--message', `Parley ${version}`]);
  } catch (error) {
    // The tree was clean before, so all differences come from this script.
    spawnSync('git', ['reset', '--quiet', '--hard'], { cwd: ROOT });
    spawnSync('git', ['clean', '--quiet', '--force', '-d'], { cwd: ROOT });
    rmSync(OUT, { recursive: true, force: true });
    throw error;
  }
  say(`Committed and tagged as v${version}; its files are in release/. To publish it: git push --follow-tags`);
});

function numbers(text) {
  return text.split('.').map(Number);
}

/**
 * An exact version number is for the first release and for corrections. The new version must be higher than the last
 * version.
 */
function nextVersion(words, current) {
  const [word = ''] = words;
  const at = PARTS.indexOf(word);
  if (words.length !== 1 || (at < 0 && !/^\d+\.\d+\.\d+$/.test(word)))
    throw new SetupError(
      'Use npm run release -- patch, minor, major or a version like 1.2.3, and --dry-run to try it.',
    );
  if (at < 0) {
    const order = numbers(word).map((number, place) => number - numbers(current)[place]);
    if ((order.find((difference) => difference !== 0) ?? 0) < 0)
      throw new SetupError(`${word} is older than ${current}.`);
    return word;
  }
  return numbers(current)
    .map((number, place) => (place < at ? number : place === at ? number + 1 : 0))
    .join('.');
}

function unreleased(changelog) {
  const changes = UNRELEASED.exec(changelog)?.[1].trim() ?? '';
  if (!/^- /m.test(changes))
    throw new SetupError('CHANGELOG.md has nothing under [Unreleased]: there is nothing to release.');
  return changes;
}

function insistOnClean(version) {
  if (output('git', ['status', '--porcelain']) !== '')
    throw new SetupError('The tree has changes: commit them first. A release is what is committed.');
  if (output('git', ['tag', '--list', `v${version}`]) !== '')
    throw new SetupError(`Version ${version} is released already: there is a tag v${version}.`);
}

function writeVersion(version, changes) {
  const stated = `"version": "${version}"`;
  write('package.json', read('package.json').replace(/"version": "[^"]+"/, stated));
  // The pattern finds the package's own version, and the version of the root package.
  const [head, rest] = split(read('package-lock.json'), /"packages": \{\n\s+"": \{/);
  write('package-lock.json', head.replace(/"version": "[^"]+"/, stated) + rest.replace(/"version": "[^"]+"/, stated));
  const chart = path.join(CHART, 'Chart.yaml');
  write(
    chart,
    read(chart)
      .replace(/^version: .*$/m, `version: ${version}`)
      .replace(/^appVersion: .*$/m, `appVersion: '${version}'`),
  );
  const today = new Date().toISOString().slice(0, 10);
  write(
    'CHANGELOG.md',
    read('CHANGELOG.md')
      .replace(UNRELEASED, () => `## [Unreleased]\n\n## [${version}] - ${today}\n\n${changes}\n\n`)
      .trimEnd() + '\n',
  );
  call(process.execPath, [path.join('test', 'released', 'make.ts')], 'The backup for the tests could not be made.');
}

function split(text, at) {
  const found = at.exec(text);
  return [text.slice(0, found.index), text.slice(found.index)];
}

/** Creates the files of a release: the npm packages, the chart, the SBOM, and the checksums of these files. */
function pack(version) {
  rmSync(OUT, { recursive: true, force: true });
  mkdirSync(OUT);
  call('npm', ['run', '--silent', 'build'], 'The build fails.');
  if (!existsSync(path.join(ROOT, 'dist', 'package.json')))
    throw new SetupError('The build made no dist/package.json.');
  call('npm', ['pack', '--silent', '--pack-destination', OUT, path.join(ROOT, 'dist')]);
  call('npm', ['run', '--silent', 'build:sdk'], 'The build of the client library fails.');
  call('npm', ['pack', '--silent', '--pack-destination', OUT, path.join(ROOT, 'sdk', 'dist')]);
  // Helm's own package format contains a folder with the name of the chart.
  call('tar', [
    '-czf',
    path.join(OUT, `parley-chart-${version}.tgz`),
    '-C',
    path.dirname(path.join(ROOT, CHART)),
    'parley',
  ]);
  writeFileSync(path.join(OUT, `parley-${version}.cdx.json`), `${JSON.stringify(sbom(), null, 2)}\n`);
  const sums = readdirSync(OUT)
    .toSorted()
    .map(
      (file) =>
        `${createHash('sha256')
          .update(readFileSync(path.join(OUT, file)))
          .digest('hex')}  ${file}`,
    );
  writeFileSync(path.join(OUT, 'SHA256SUMS'), `${sums.join('\n')}\n`);
}

/**
 * For npm, the packages of the dashboard and the web chat are development dependencies like the build tools. The SBOM
 * therefore also contains the packages that the sources of the dashboard and the web chat import.
 */
function sbom() {
  const [run, all] = [packages('--omit=dev'), packages()];
  const kept = new Set(run.dependencies.map(({ ref }) => ref));
  const needs = new Map(all.dependencies.map(({ ref, dependsOn = [] }) => [ref, dependsOn]));
  const keep = (ref) => {
    if (kept.has(ref)) return;
    kept.add(ref);
    for (const one of needs.get(ref) ?? []) keep(one);
  };
  const imported = importedBySites();
  for (const { name, 'bom-ref': ref } of all.components) if (imported.has(name)) keep(ref);
  return {
    ...run,
    components: all.components.filter((component) => kept.has(component['bom-ref'])),
    dependencies: all.dependencies
      .filter(({ ref }) => kept.has(ref))
      .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((one) => kept.has(one)) })),
  };
}

function packages(...more) {
  const args = ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx', '--sbom-type', 'application'];
  return JSON.parse(output('npm', [...args, ...more]));
}

function importedBySites() {
  const files = ['dashboard/src', 'widget/src'].flatMap((folder) =>
    readdirSync(path.join(ROOT, folder), { recursive: true })
      .filter((file) => /(?<!\.test)\.(tsx?|css)$/.test(file))
      .map((file) => path.join(folder, file)),
  );
  const names = files.flatMap((file) => [...read(file).matchAll(/(?:from|import) '((?:@[^/']+\/)?[a-z][^/']*)/g)]);
  return new Set(names.map(([, name]) => name));
}

function call(command, args, otherwise = `${command} ${args[0]} fails.`) {
  const { status } = spawnSync(command, args, { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) throw new SetupError(otherwise);
}

function output(command, args) {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) throw new SetupError(`${command} ${args[0]} fails: ${stderr.trim()}`);
  return stdout.trim();
}
