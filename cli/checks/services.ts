import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ownProgram } from '../../src/kernel/own-files.ts';
import type { Check } from './check.ts';

const PROGRAM = ownProgram('src/main');
/** The limit is longer than the program's time limit for mail, file storage and traces. */
const TIMEOUT_MS = 60_000;

/** Checks whether the mail server of this environment accepts the credentials. */
export const checkMail = (env: NodeJS.ProcessEnv): Promise<Check> => ask('mail', 'check-mail', 'mail server', env);

/** Checks whether the file storage of this environment accepts files. */
export const checkBlobs = (env: NodeJS.ProcessEnv): Promise<Check> =>
  ask('files', 'check-blobs', 'store of files', env);

/** Checks whether the trace collector of this environment accepts spans. */
export const checkTraces = (env: NodeJS.ProcessEnv): Promise<Check> =>
  ask('traces', 'check-traces', 'collector of traces', env);

/** The server's program makes the check with its own connection code. */
async function ask(name: string, command: string, what: string, env: NodeJS.ProcessEnv): Promise<Check> {
  try {
    const run = promisify(execFile);
    const { stdout } = await run(process.execPath, [PROGRAM, command], { env, timeout: TIMEOUT_MS });
    return { name, ...(JSON.parse(stdout) as Omit<Check, 'name'>) };
  } catch {
    return {
      name,
      status: 'fail',
      detail: `The check of the ${what} did not finish.`,
      fix: 'Run npm start once, so that the packages are installed.',
    };
  }
}
