/**
 * The command `npm run test:faults` runs the scenarios of the fault suite, the long tests, and then the planted bugs
 * (docs/testing-faults.md). The last line has the counts of all three. The command `npm run test:faults -- NAME…` runs
 * some scenarios of the suite. PARLEY_FAULT_UNTIL (seconds since 1970) is the time after which no scenario, no planted
 * bug and no run of the long tests begins.
 */
import { appendFileSync } from 'node:fs';
import { prepare, ROOT, run, runInPlace, say } from './prepare.mjs';
import { runTests } from './run-tests.mjs';
import { openTally } from './tally.mjs';
import { testEnvironment } from './test-tools.mjs';

const wanted = process.argv.slice(2);
const tally = wanted.length === 0 ? openTally() : undefined;

await run(async () => {
  const node = await prepare({ program: true, sites: true });
  const env = testEnvironment({ long: !!tally });
  const suite = (names, more) =>
    runInPlace(node, ['test/faults/run.ts', ...names], { cwd: ROOT, env: { ...env, ...more } });
  if (!tally) return suite(wanted);
  // One part runs after the other, because a busy machine exceeds the limits of the scenarios.
  const codes = [await tally.counted((more) => suite(['--no-bugs'], more))];
  codes.push(await (isLate() ? tally.counted(withoutLongTests) : longTests(node, env)));
  codes.push(await tally.counted((more) => suite(['bugs'], more)));
  return worst(codes);
});

function isLate() {
  return Date.now() / 1_000 > Number(process.env.PARLEY_FAULT_UNTIL ?? Infinity);
}

function longTests(node, env) {
  say('Running the long tests…');
  return runTests(node, tally, ['--config', 'vitest.faults.config.ts', '--tags-filter=long'], env);
}

function withoutLongTests({ TALLY_FILE }) {
  appendFileSync(TALLY_FILE, 'Not run, because the time was over: the long tests\n0 passed, 0 failed, 1 skipped\n');
  return 0;
}

function worst(codes) {
  return codes.find((code) => code !== 0) ?? 0;
}
