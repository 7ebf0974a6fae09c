/** Runs vitest for `npm test` and `npm run test:faults`, and once more for the files that failed, where that helps. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ROOT, runInPlace, say } from './prepare.mjs';

const VITEST = path.join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');

/**
 * In .ci/run (CI is set) a file that failed runs once more, by itself, on a machine that is quiet by then: one of
 * thousands of tests may fail because the machine stalls. test/reporter.ts says which files; it names none when a
 * property failed, which another choice of values would hide, and none when many files failed. At a desk nothing runs
 * twice: there a failure is to be seen. Resolves with the exit code.
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
    say(`Running what failed once more, by itself: ${files.join(', ')}`);
    return await tally.counted((more) => vitest(more, '--maxWorkers=1', ...files));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
