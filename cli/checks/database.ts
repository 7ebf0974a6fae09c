import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ownProgram } from '../../src/kernel/own-files.ts';
import type { Check } from './check.ts';

const PROGRAM = ownProgram('src/main');
/** The limit is longer than the time limit of the server's program for the database. */
const TIMEOUT_MS = 60_000;

/**
 * Checks the database of this environment and reports problems with their consequences. The server's program makes the
 * check with its own connection code.
 */
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
        detail: 'The check of the database did not finish.',
        fix: 'Run npm start once, so that the packages are installed.',
      },
    ];
  }
}
