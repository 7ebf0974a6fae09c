/**
 * `npm test`: everything from nothing, then every test. The very last line is "N passed, N failed" (", N skipped" may
 * follow), also when the set-up fails or the runner dies. `npm test -- PATH` runs some.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { prepare, ROOT, run, runInPlace, say } from './prepare.mjs';

/** Programs that some tests drive. They find them by the variable; without it those tests skip themselves, saying so. */
const TOOLS = [
  {
    variable: 'TEST_CHROMIUM',
    what: 'a browser (Chromium)',
    package: 'chromium',
    names: ['chromium', 'chromium-browser', 'google-chrome'],
    for: /(^|\/)journeys\/.*\.test\.ts$/,
  },
  {
    variable: 'TEST_REDIS_SERVER',
    what: 'redis-server',
    package: 'redis-server',
    names: ['redis-server'],
    for: /redis.*\.test\.ts$/,
  },
];

const folder = mkdtempSync(path.join(tmpdir(), 'parley-tally-'));
const tally = path.join(folder, 'tally');
process.once('exit', () => {
  const line = existsSync(tally) ? readFileSync(tally, 'utf8').trim() : '0 passed, 1 failed';
  rmSync(folder, { recursive: true, force: true });
  process.stdout.write(`${line}\n`);
});

await run(async () => {
  const node = await prepare({ dashboard: true });
  const env = { ...process.env, ...findTools(), TALLY_FILE: tally };
  // Node that the tests start by name is ours, not the system's.
  env.PATH = `${path.join(ROOT, 'node_modules', '.bin')}${path.delimiter}${env.PATH ?? ''}`;
  say('Running the tests…');
  const vitest = path.join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');
  const code = await runInPlace(node, [vitest, 'run', ...process.argv.slice(2)], { cwd: ROOT, env });
  const failed = !existsSync(tally) || !/, 0 failed/.test(readFileSync(tally, 'utf8'));
  return code === 0 && failed ? 1 : code;
});

function findTools() {
  const tests = ['src', 'test', 'cli', 'contract'].flatMap((name) => {
    const at = path.join(ROOT, name);
    return existsSync(at)
      ? readdirSync(at, { recursive: true, encoding: 'utf8' }).map((file) => `${name}/${file}`)
      : [];
  });
  const found = TOOLS.filter((tool) => tests.some((file) => tool.for.test(file)))
    .map((tool) => [tool.variable, process.env[tool.variable] ?? locate(tool) ?? install(tool)])
    .filter(([, file]) => file);
  return Object.fromEntries(found);
}

function locate({ names }) {
  return names
    .flatMap((name) =>
      [...(process.env.PATH ?? '').split(path.delimiter), '/usr/bin', '/usr/local/bin', '/snap/bin']
        .filter(Boolean)
        .map((at) => path.join(at, name)),
    )
    .find((file) => existsSync(file));
}

function install(tool) {
  const isRoot = process.getuid?.() === 0;
  if (!isRoot || spawnSync('apt-get', ['--version']).error) {
    say(
      `${tool.what} is not installed; the tests that need it will be skipped ("apt-get install ${tool.package}" brings it on Debian).`,
    );
    return undefined;
  }
  say(`Installing ${tool.what} for the tests that need it (once, about a minute)…`);
  let result = apt('install', '-y', '--no-install-recommends', tool.package);
  if (result.status !== 0) {
    apt('update');
    result = apt('install', '-y', '--no-install-recommends', tool.package);
  }
  if (result.status !== 0) say(`${tool.what} could not be installed; the tests that need it will be skipped.`);
  return locate(tool);
}

function apt(...args) {
  return spawnSync('apt-get', args, { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }, encoding: 'utf8' });
}
