/**
 * The command `npm test` prepares everything, then runs every test except the long tests (faults.mjs). The last printed
 * line has the counts. The command `npm test -- PATH` runs some tests. The command `npm test -- PATH
 * --tags-filter=long` runs the long tests of a file.
 */
import { prepare, run, say } from './prepare.mjs';
import { runTests } from './run-tests.mjs';
import { openTally } from './tally.mjs';
import { testEnvironment } from './test-tools.mjs';

const tally = openTally();

await run(async () => {
  const node = await prepare({ program: true, sites: true });
  const wanted = process.argv.slice(2);
  const isLong = wanted.some((one) => one.startsWith('--tags-filter'));
  const env = testEnvironment({ long: isLong });
  say('Running the tests…');
  return runTests(node, tally, [...(isLong ? [] : ['--tags-filter=!long']), ...wanted], env);
});
