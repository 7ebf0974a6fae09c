import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ownProgram } from '../../src/kernel/own-files.ts';
import type { Check } from './check.ts';

const PROGRAM = ownProgram('src/main');
/** More than the program gives the database. */
const TIMEOUT_MS = 60_000;

/** What the database of this environment is like, and what that costs. The server's program asks it, in its own way. */
export async function checkDatabase(env: NodeJS.ProcessEnv): Promise<Check[]> {
  try {
    const run = promisify(execFile);
    const { stdout } = await run(process.execPath, [PROGRAM, 'check-database'], { env, timeout: TIMEOUT_MS });
    return JSON.parse(stdout) as Check[];
  } catch {
    return [
      {
        name: 'database',
        status: 'fail',
        detail: 'The check of the database did not end.',
        cure: 'Run npm start once, so that the packages are installed.',
      },
    ];
  }
}
