/**
 * `npm run test:faults`: the tests that take minutes because they kill, stop and start programs. The trials of
 * test/faults/trials/, then the fault suite (docs/testing-faults.md); the very last line is the tally of both. `npm run
 * test:faults -- NAME…` runs some scenarios of the suite.
 */
import path from 'node:path';
import { prepare, ROOT, run, runInPlace, say } from './prepare.mjs';
import { openTally } from './tally.mjs';
import { testEnvironment } from './test-tools.mjs';

const wanted = process.argv.slice(2);
const tally = wanted.length === 0 ? openTally() : undefined;

await run(async () => {
  const node = await prepare({ program: true, sites: true });
  const env = testEnvironment();
  const suite = (more) => runInPlace(node, ['test/faults/run.ts', ...wanted], { cwd: ROOT, env: { ...env, ...more } });
  if (!tally) return suite();
  say('Running the trials…');
  const vitest = path.join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');
  const trials = (more) =>
    runInPlace(node, [vitest, 'run', '--config', 'vitest.faults.config.ts'], { cwd: ROOT, env: { ...env, ...more } });
  const codes = [await tally.counted(trials), await tally.counted(suite)];
  return codes.find((code) => code !== 0) ?? 0;
});
