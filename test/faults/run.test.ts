import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { bugs } from './suite.ts';

it('after PARLEY_FAULT_UNTIL, no scenario and no planted bug begins, and the output lists and counts them', async () => {
  const { TALLY_FILE: _counts, ...env } = process.env;
  const run = fileURLToPath(new URL('run.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [run, 'pause-short', 'bugs'], {
    env: { ...env, PARLEY_FAULT_UNTIL: '1' },
  });
  for (const name of ['pause-short', ...bugs.map((bug) => bug.name)]) expect(stdout).toContain(name);
  expect(stdout).not.toContain('ok ');
  expect(stdout.trimEnd().split('\n').at(-1)).toBe(`0 passed, 0 failed, ${bugs.length + 1} skipped`);
});
