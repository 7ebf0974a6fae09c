import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ownProgram } from '../../src/kernel/own-files.ts';
import type { Check } from './check.ts';

const PROGRAM = ownProgram('src/main');
/** More than the program gives either of them. */
const TIMEOUT_MS = 60_000;

/** Whether the mail server of this environment takes our sign-in. */
export const checkMail = (env: NodeJS.ProcessEnv): Promise<Check> => ask('mail', 'check-mail', 'mail server', env);

/** Whether the store of files of this environment takes them. */
export const checkBlobs = (env: NodeJS.ProcessEnv): Promise<Check> =>
  ask('files', 'check-blobs', 'store of files', env);

/** Whether the collector of traces of this environment takes spans. */
export const checkTraces = (env: NodeJS.ProcessEnv): Promise<Check> =>
  ask('traces', 'check-traces', 'collector of traces', env);

/** The server's program asks it, in its own way. */
async function ask(name: string, command: string, what: string, env: NodeJS.ProcessEnv): Promise<Check> {
  try {
    const run = promisify(execFile);
    const { stdout } = await run(process.execPath, [PROGRAM, command], { env, timeout: TIMEOUT_MS });
    return { name, ...(JSON.parse(stdout) as Omit<Check, 'name'>) };
  } catch {
    return {
      name,
      status: 'fail',
      detail: `The check of the ${what} did not end.`,
      cure: 'Run npm start once, so that the packages are installed.',
    };
  }
}
