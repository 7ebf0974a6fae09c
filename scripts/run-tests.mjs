/** Runs vitest for `npm test` and `npm run test:faults`. In CI, a crash of Node itself does not end the run. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ROOT, runInPlace, say } from './prepare.mjs';

const VITEST = path.join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');

/**
 * A failed test never runs twice, because a test that passes only sometimes is a defect. In .ci/run (CI is set), the
 * files that a worker had not finished when Node crashed run once more, alone. The promise resolves with the exit code
 * of the tests.
 */
export async function runTests(node, tally, args, env) {
  const vitest = (more, ...files) =>
    runInPlace(node, [VITEST, 'run', ...args, ...files], { cwd: ROOT, env: { ...env, ...more } });
  if (!process.env.CI) return tally.counted((more) => vitest(more));
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-again-'));
  try {
    const list = path.join(folder, 'files');
    const code = await tally.counted((more) => vitest({ ...more, AGAIN_FILE: list }));
    const files = existsSync(list) ? readFileSync(list, 'utf8').split('\n').filter(Boolean) : [];
    if (files.length === 0) return code;
    say(`Node crashed. Running the unfinished files once more, alone: ${files.join(', ')}`);
    const again = await tally.counted((more) => vitest(more, '--maxWorkers=1', ...files));
    return tally.failed() > 0 ? 1 : again;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
