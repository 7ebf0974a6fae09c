/**
 * Runs vitest for `npm test` and `npm run test:faults`. In CI, the script repeats the files that failed if a repetition
 * is useful.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ROOT, runInPlace, say } from './prepare.mjs';

const VITEST = path.join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');

/**
 * In .ci/run (CI is set), a failed file runs once more alone, because one of thousands of tests may fail when the
 * machine stalls. If Node itself crashes, the files that the worker had not finished also run once more. No file runs
 * again if a property test failed, because other random values would hide the failure. No file runs again if many files
 * failed. Without CI, nothing runs twice, so that the developer sees the failure. The promise resolves with the exit
 * code of the tests.
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
    say(`Running the failed files again, alone: ${files.join(', ')}`);
    return await tally.counted((more) => vitest(more, '--maxWorkers=1', ...files));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
