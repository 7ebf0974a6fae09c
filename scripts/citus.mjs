/**
 * The command `npm run test:citus` tests Parley on a real Citus (docs/adr/0502). This command builds Citus once, plans
 * each statement of the tests of the rooms on a cluster, and drives journeys and faults there. The tests of the rooms
 * run first to record their statements, unless RECORD_STATEMENTS names the file of an earlier `npm test` with the same
 * variable.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { prepare, ROOT, run, say } from './prepare.mjs';
import { runTests } from './run-tests.mjs';
import { openTally } from './tally.mjs';
import { testEnvironment } from './test-tools.mjs';

const SOURCE = path.join(ROOT, '..', 'shared', 'citus');
const ROOMS = ['src/store', 'src/features', 'src/access', 'src/worker'];
const BUILD_NEEDS =
  'postgresql-15 postgresql-server-dev-15 gcc make flex bison libkrb5-dev liblz4-dev libzstd-dev libssl-dev libicu-dev';

if (!existsSync(SOURCE)) {
  say('The source of Citus (../shared/citus) is missing, so the tests that need it are skipped.');
  process.exit(0);
}
const tally = openTally();

await run(async () => {
  const node = await prepare({ program: true, sites: true });
  const tree = build();
  if (tree === null) return tally.counted(skipped);
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-citus-statements-'));
  const recording = process.env.RECORD_STATEMENTS;
  const isRecorded = recording && existsSync(recording) && statSync(recording).size > 0;
  const statements = isRecorded ? recording : path.join(folder, 'statements');
  const env = { ...testEnvironment(), CITUS_TREE: tree };
  try {
    let recorded = 0;
    const wanted = process.argv.slice(2);
    const needsRecording = wanted.length === 0 || wanted.some((one) => one.includes('statements'));
    if (needsRecording && !isRecorded) {
      say('Running the tests to record their statements…');
      recorded = await runTests(node, tally, ['--tags-filter=!long', ...ROOMS], {
        ...env,
        RECORD_STATEMENTS: statements,
      });
    }
    say('Running the tests on Citus…');
    const args = ['--config', 'vitest.citus.config.ts', ...wanted];
    return recorded || (await runTests(node, tally, args, { ...env, STATEMENTS: statements }));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

function skipped({ TALLY_FILE }) {
  appendFileSync(TALLY_FILE, '0 passed, 0 failed, 1 skipped\n');
  return 0;
}

/**
 * A build tree for each version of the source, stored in the folder of the packages. Returns null if Citus cannot be
 * built on this machine.
 */
function build() {
  const version = createHash('sha256')
    .update(readFileSync(path.join(SOURCE, 'build.sh')))
    .digest('hex')
    .slice(0, 12);
  const tree = path.join(ROOT, 'node_modules', '.cache', `citus-${version}`);
  if (existsSync(tree)) return tree;
  if (process.getuid?.() === 0) {
    say('Installing the packages that the build of Citus needs (once, about a minute)…');
    for (const args of [['update'], ['install', '-y', '--no-install-recommends', ...BUILD_NEEDS.split(' ')]])
      spawnSync('apt-get', args, { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } });
  }
  say('Building Citus (once, about a minute)…');
  // The build ends with a rename, so an interrupted build leaves no tree.
  const part = `${tree}.${process.pid}`;
  const made = spawnSync('sh', [path.join(SOURCE, 'build.sh'), part], { encoding: 'utf8' });
  if (made.status === 0) {
    renameSync(part, tree);
    return tree;
  }
  rmSync(part, { recursive: true, force: true });
  const reason = (made.stderr ?? '').trim().split('\n').at(-1);
  say(`Citus cannot be built here (${reason}), so its tests are skipped. It needs: apt-get install ${BUILD_NEEDS}`);
  return null;
}
