import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';

/**
 * `npm run release` in a temporary clone. It uses the real script and the real files. Only check, build and the test
 * backup are short replacements, because they take minutes and have their own tests.
 */
const ROOT = fileURLToPath(new URL('../', import.meta.url));
const CHANGES = '- A change that people notice, for $1 & more.';
let folder: string;
let clone: string;
let start: string;

const git = (...args: string[]): string => {
  const who = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', '-c', 'commit.gpgsign=false'];
  const { stdout, stderr, status } = spawnSync('git', [...who, ...args], { cwd: clone, encoding: 'utf8' });
  if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`);
  return stdout.trim();
};
const read = (file: string): string => readFileSync(path.join(clone, file), 'utf8');
const write = (file: string, text: string): void => writeFileSync(path.join(clone, file), text);

function release(...args: string[]): { status: number | null; output: string } {
  const who = { GIT_AUTHOR_NAME: 'Test', GIT_AUTHOR_EMAIL: 't@example.com', GIT_COMMITTER_NAME: 'Test', GIT_COMMITTER_EMAIL: 't@example.com' }; // prettier-ignore
  const options = { cwd: clone, encoding: 'utf8' as const, env: { ...process.env, ...who } };
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/release.mjs', ...args], options);
  return { status, output: stdout + stderr };
}

const isUntouched = () => ({ tree: git('status', '--porcelain'), head: git('rev-parse', 'HEAD'), tags: git('tag') });

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'parley-release-'));
  clone = path.join(folder, 'clone');
  const { status, stderr } = spawnSync('git', ['clone', '-q', '--no-tags', ROOT, clone], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  for (const file of ['package.json', 'package-lock.json', 'scripts', 'deploy', '.gitignore'])
    cpSync(path.join(ROOT, file), path.join(clone, file), { recursive: true });
  const build = `const { mkdirSync, writeFileSync } = require('node:fs'); mkdirSync('dist', { recursive: true });
    if (process.env.BUILD_FAILS) process.exit(1);
    writeFileSync('dist/package.json', JSON.stringify({ name: '@parley/server', version: require('./package.json').version }));`;
  write('build.cjs', build);
  const manifest = JSON.parse(read('package.json')) as { version: string; scripts: Record<string, string> };
  manifest.scripts['check'] = 'node -e "process.exit(Number(process.env.CHECK_FAILS ?? 0))"';
  manifest.scripts['build'] = 'node build.cjs';
  const sdk = `const { mkdirSync, writeFileSync } = require('node:fs'); mkdirSync('sdk/dist', { recursive: true });
    writeFileSync('sdk/dist/package.json', JSON.stringify({ name: '@parley/sdk', version: require('./package.json').version }));`;
  write('build-sdk.cjs', sdk);
  manifest.scripts['build:sdk'] = 'node build-sdk.cjs';
  manifest.version = '0.3.7';
  write('package.json', `${JSON.stringify(manifest, null, 2)}\n`);
  write('test/released/make.ts', `import { writeFileSync } from 'node:fs'; writeFileSync('test/released/made', 'x');`);
  write(
    'CHANGELOG.md',
    `# Changelog\n\n## [Unreleased]\n\nThe next version is 0.4.0.\n\n### Added\n\n${CHANGES}\n\n## [0.3.7] - 2026-01-01\n\n- Old.\n`,
  );
  git('add', '--all');
  git('commit', '-q', '-m', 'stand-ins');
  start = git('rev-parse', 'HEAD');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

beforeEach(() => {
  git('reset', '-q', '--hard', start);
  git('clean', '-qfd');
  rmSync(path.join(clone, 'release'), { recursive: true, force: true });
  for (const tag of git('tag').split('\n').filter(Boolean)) git('tag', '-d', tag);
});

describe('a release', () => {
  test('a release writes version, changelog, tag, package, chart, SBOM and checksums', () => {
    const { status, output } = release('minor');
    expect([status, output]).toEqual([0, expect.stringContaining('Committed and tagged as v0.4.0')]);
    expect(isUntouched()).toMatchObject({ tree: '', tags: 'v0.4.0' });
    expect(git('cat-file', '-t', 'v0.4.0')).toBe('tag');
    expect(git('rev-parse', 'v0.4.0^{commit}')).toBe(git('rev-parse', 'HEAD'));
    expect(git('log', '-1', '--format=%s')).toBe('release: 0.4.0');
    const lock = JSON.parse(read('package-lock.json')) as { version: string; packages: { '': { version: string } } };
    const { version } = JSON.parse(read('package.json')) as { version: string };
    expect([version, lock.version, lock.packages[''].version]).toEqual(['0.4.0', '0.4.0', '0.4.0']);
    expect(read('deploy/helm/parley/Chart.yaml')).toMatch(/\nversion: 0\.4\.0\n[^]*appVersion: '0\.4\.0'\n/);
    expect(read('CHANGELOG.md')).toMatch(
      /^# Changelog\n\n## \[Unreleased\]\n\n## \[0\.4\.0\] - \d{4}-\d\d-\d\d\n\n### Added\n\n- A change/,
    );
    expect(read('CHANGELOG.md')).toContain(CHANGES);
    expect(git('show', '--stat', '--format=', 'HEAD')).toContain('test/released/made');

    const files = [
      'SHA256SUMS',
      'parley-0.4.0.cdx.json',
      'parley-server-0.4.0.tgz',
      'parley-chart-0.4.0.tgz',
      'parley-sdk-0.4.0.tgz',
    ];
    expect(readdirSync(path.join(clone, 'release')).toSorted()).toEqual(files.toSorted());
    const sums = read('release/SHA256SUMS').trimEnd().split('\n');
    expect(sums).toHaveLength(files.length - 1);
    for (const line of sums) {
      const [sum, file] = line.split('  ') as [string, string];
      const content = readFileSync(path.join(clone, 'release', file));
      expect([file, sum]).toEqual([file, createHash('sha256').update(content).digest('hex')]);
    }
    const sbom = JSON.parse(read('release/parley-0.4.0.cdx.json')) as { bomFormat: string; metadata: { component: { version: string } }; components: { name: string }[] }; // prettier-ignore
    expect([sbom.bomFormat, sbom.metadata.component.version]).toEqual(['CycloneDX', '0.4.0']);
    const names = sbom.components.map(({ name }) => name);
    // A dependency of the server, one of the dashboard, and a dependency of one of these.
    expect(names).toEqual(expect.arrayContaining(['fastify', 'react', '@mantine/core', '@floating-ui/react', 'uqr']));
    for (const tool of ['vitest', 'vite', 'rolldown', 'typescript']) expect(names).not.toContain(tool);
  });

  test('the option --dry-run prints the steps without any change', () => {
    const before = isUntouched();
    const { status, output } = release('patch', '--dry-run');
    expect(status).toBe(0);
    expect(output).toContain('Version 0.3.8');
    expect(output).toContain(CHANGES);
    expect(isUntouched()).toEqual(before);
  });

  test.each([
    [[], 'Use npm run release'],
    [['huge'], 'Use npm run release'],
    [['0.3.6'], '0.3.6 is older than 0.3.7'],
  ])('the release %j is refused', (args, why) => {
    const { status, output } = release(...args);
    expect([status, output]).toEqual([1, expect.stringContaining(why)]);
  });

  test.each<[string, () => void, NodeJS.ProcessEnv, string]>([
    ['a tree with changes', () => write('README.md', 'changed'), {}, 'The tree has changes'],
    ['a new file', () => write('new.txt', 'new'), {}, 'The tree has changes'],
    ['a version that has a tag', () => git('tag', 'v0.3.8'), {}, 'released already'],
    ['a red check', () => {}, { CHECK_FAILS: '1' }, 'The check fails'],
    ['a build that fails', () => {}, { BUILD_FAILS: '1' }, 'The build fails'],
  ])('refuses %s, and changes nothing', (_what, given, env, why) => {
    given();
    const before = isUntouched();
    Object.assign(process.env, env);
    const { status, output } = release('patch');
    for (const name of Object.keys(env)) delete process.env[name];
    expect([status, output]).toEqual([1, expect.stringContaining(why)]);
    expect(isUntouched()).toEqual(before);
    expect(existsSync(path.join(clone, 'release'))).toBe(false);
  });

  test('a release is refused if the changelog is empty', () => {
    write('CHANGELOG.md', '# Changelog\n\n## [Unreleased]\n\n## [0.3.7] - 2026-01-01\n\n- Old.\n');
    git('commit', '-qam', 'nothing');
    expect(release('patch')).toEqual({ status: 1, output: expect.stringContaining('nothing under [Unreleased]') });
  });
});
