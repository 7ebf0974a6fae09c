import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '..');
const FAULT = `throw new Error('late');`;
const CRASH = `process.kill(process.pid, 'SIGSEGV'); await new Promise(() => {});`;
const KILLED = `process.kill(process.pid, 'SIGKILL'); await new Promise(() => {});`;

/** Runs test files in one process, in the order of their names, as scripts/run-tests.mjs runs them in CI. */
async function run(bodies: Record<string, string>, { ci = true } = {}) {
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-reporter-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const vitest = path.join(ROOT, 'node_modules', 'vitest');
  for (const [name, body] of Object.entries(bodies))
    writeFileSync(
      path.join(folder, `${name}.test.mjs`),
      `import { test } from '${vitest}/dist/index.js';\ntest('${name}', async () => { ${body} });\n`,
    );
  const options = { pool: 'forks', isolate: false, maxWorkers: 1, reporters: [path.join(ROOT, 'test', 'reporter.ts')] };
  writeFileSync(
    path.join(folder, 'vitest.config.mjs'),
    `class ByName {
      shard(files) { return files; }
      sort(files) { return files.toSorted((a, b) => (a.moduleId < b.moduleId ? -1 : 1)); }
    }
    export default { test: { ...${JSON.stringify(options)}, sequence: { sequencer: ByName } } };`,
  );
  const list = path.join(folder, 'again');
  const env = { ...process.env, TALLY_FILE: '', AGAIN_FILE: ci ? list : '' };
  const { stdout } = await promisify(execFile)(process.execPath, [path.join(vitest, 'vitest.mjs'), 'run'], {
    cwd: folder,
    env,
  }).catch((error: { stdout: string }) => error);
  return {
    again: existsSync(list) ? readFileSync(list, 'utf8').split('\n').filter(Boolean) : [],
    counts: stdout.trim().split('\n').at(-1),
  };
}

test('after a crash of Node, the unfinished files run once more and are not counted', async () => {
  expect(await run({ a: '', b: CRASH, c: '' })).toEqual({
    again: ['b.test.mjs', 'c.test.mjs'],
    counts: '1 passed, 0 failed',
  });
});

test('a file that failed does not run once more, and counts as a failure', async () => {
  expect(await run({ a: FAULT, b: '' })).toEqual({ again: [], counts: '1 passed, 1 failed' });
  expect(await run({ a: FAULT, b: CRASH })).toEqual({ again: ['b.test.mjs'], counts: '0 passed, 1 failed' });
});

test('without CI, and after any other end of the process, the crash counts as a failure', async () => {
  expect(await run({ a: '', b: CRASH }, { ci: false })).toEqual({ again: [], counts: '1 passed, 1 failed, 1 skipped' });
  expect(await run({ a: '', b: KILLED })).toEqual({ again: [], counts: '1 passed, 1 failed, 1 skipped' });
});
