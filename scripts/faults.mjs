/**
 * The command `npm run test:faults` runs the long tests and then the fault suite (docs/testing-faults.md). The last
 * line has the counts of the long tests and the fault suite. The command `npm run test:faults -- NAME…` runs some
 * scenarios of the suite.
 */
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
  say('Running the long tests…');
  const args = ['--config', 'vitest.faults.config.ts', '--tags-filter=long'];
  const codes = [await runTests(node, tally, args, env)];
  // The run without bugs and the run with bugs mostly wait for their own processes. Each of the two runs needs the same
  // time alone as together with the other run.
  const halves = (more) => Promise.all([suite(['--no-bugs'], more), suite(['bugs'], more)]).then(worst);
  codes.push(await tally.counted(halves));
  return worst(codes);
});

function worst(codes) {
  return codes.find((code) => code !== 0) ?? 0;
}
