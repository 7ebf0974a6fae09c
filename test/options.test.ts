import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

test.each(['cluster/run.ts', 'cluster/regions.ts', 'bench/run.ts', 'test/faults/run.ts', 'test/attack/run.ts'])(
  '%s reports unknown options and prints its usage',
  (program) => {
    const { status, stderr } = spawnSync(process.execPath, [program, '--nonsense'], { cwd: ROOT, encoding: 'utf8' });
    expect([status, stderr]).toEqual([1, expect.stringMatching(/^Unknown option '--nonsense'.*\n\nUsage: npm run /)]);
  },
);
