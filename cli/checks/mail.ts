import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ownProgram } from '../../src/kernel/own-files.ts';
import type { Check } from './check.ts';

const PROGRAM = ownProgram('src/main');
/** More than the program gives the mail server. */
const TIMEOUT_MS = 60_000;

/** Whether the mail server of this environment takes our sign-in. The server's program asks it, in its own way. */
export async function checkMail(env: NodeJS.ProcessEnv): Promise<Check> {
  try {
    const run = promisify(execFile);
    const { stdout } = await run(process.execPath, [PROGRAM, 'check-mail'], { env, timeout: TIMEOUT_MS });
    return { name: 'mail', ...(JSON.parse(stdout) as Omit<Check, 'name'>) };
  } catch {
    return {
      name: 'mail',
      status: 'fail',
      detail: 'The check of the mail server did not end.',
      cure: 'Run npm start once, so that the packages are installed.',
    };
  }
}
