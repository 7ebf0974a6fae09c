import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { killAtExit } from '../faults/processes.ts';
import { freePort, type Program, runProgram } from '../program.ts';

/** Observes the processor time, the memory and the responses of the real program, which runs in its own process. */
export type WatchedServer = Program & {
  /** Returns the milliseconds of processor time of the thread that handles requests. */
  cpuMs(): number;
  residentMib(): number;
  owner: { email: string; password: string };
};

const OWNER = { email: 'asha@example.com', password: 'correct horse 7 battery' };
const MUCH = '{"key":10000000,"organization":10000000}';

export async function startWatchedServer(env: Record<string, string>): Promise<WatchedServer> {
  const server = runProgram({
    PORT: String(await freePort()),
    PARLEY_SECRET: randomBytes(48).toString('base64'),
    PARLEY_OWNER_EMAIL: OWNER.email,
    PARLEY_OWNER_PASSWORD: OWNER.password,
    PARLEY_DEMO: '0',
    PARLEY_LIMITS: `{"triggers":${MUCH},"channels":${MUCH},"end_users":${MUCH},"campaigns":${MUCH}}`,
    ...env,
  });
  killAtExit(server.child);
  await server.printed('Parley is ready');
  const read = (file: string): string => readFileSync(`/proc/${server.child.pid}/${file}`, 'utf8');
  return {
    ...server,
    owner: OWNER,
    // The processor time of the whole process would include threads that delay no request, such as the thread that
    // reads documents.
    cpuMs: () => Number(read('schedstat').split(' ')[0]) / 1e6,
    residentMib: () => Number(/^VmRSS:\s*(\d+) kB/m.exec(read('status'))![1]) / 1024,
  };
}

const LOOK_EVERY_MS = 2;
const ANSWERS_WITHIN_MS = 30_000;

export type HealthWatch = {
  /** Returns the most processor time of one response since the previous call of this function. */
  worst(): number;
  stop(): Promise<void>;
};

/**
 * A client that calls /api/health continuously. The client measures processor time, because a busy machine delays each
 * response but adds no work. The client ends with an error if the server does not respond.
 */
export function watchHealth(server: Pick<WatchedServer, 'url' | 'cpuMs'>): HealthWatch {
  let worst = 0;
  let failure: Error | null = null;
  const over = new AbortController();
  const look = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const before = server.cpuMs();
      const answer = await fetch(`${server.url}/api/health`, { signal: AbortSignal.timeout(ANSWERS_WITHIN_MS) });
      await answer.text();
      if (answer.status !== 200) throw new Error(`/api/health answers ${answer.status}`);
      worst = Math.max(worst, server.cpuMs() - before);
      await pause(LOOK_EVERY_MS);
    }
  };
  const looking = look().catch((error: Error) => void (failure = error));
  return {
    worst: () => {
      if (failure !== null) throw failure;
      const found = worst;
      worst = 0;
      return found;
    },
    stop: async () => {
      over.abort();
      await looking;
    },
  };
}
