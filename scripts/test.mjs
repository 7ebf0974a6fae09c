/**
 * `npm test`: prepares everything, then runs every test except the long ones (faults.mjs). The very last line is the
 * tally. `npm test -- PATH` runs some, `npm test -- PATH --tags-filter=long` the long ones of a file.
 */
import path from 'node:path';
import { prepare, ROOT, run, runInPlace, say } from './prepare.mjs';
import { openTally } from './tally.mjs';
import { testEnvironment } from './test-tools.mjs';

const tally = openTally();

await run(async () => {
  const node = await prepare({ program: true, sites: true });
  const wanted = process.argv.slice(2);
  const isLong = wanted.some((one) => one.startsWith('--tags-filter'));
  const env = testEnvironment({ long: isLong });
  say('Running the tests…');
  const vitest = path.join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');
  const filter = isLong ? [] : ['--tags-filter=!long'];
  return tally.counted((more) =>
    runInPlace(node, [vitest, 'run', ...filter, ...wanted], { cwd: ROOT, env: { ...env, ...more } }),
  );
});
