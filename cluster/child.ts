import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { setTimeout as pause } from 'node:timers/promises';

/**
 * One supervised process of Parley. The output of the process is printed with its name. If the process ends
 * unexpectedly, it is restarted after a pause that doubles each time.
 */
export type Child = {
  name: string;
  /** Null between its end and its next start. */
  pid(): number | null;
  /** All its output. */
  output(): string;
  /** The promise resolves when the process reports that it is ready (again). */
  ready(): Promise<void>;
  stop(): Promise<void>;
};

export type ChildOptions = {
  name: string;
  role: 'all' | 'api' | 'worker';
  env: Record<string, string | undefined>;
  onLine(name: string, line: string): void;
};

/** The built program, as `npm start` runs it. */
const MAIN = fileURLToPath(new URL('../dist/src/main.js', import.meta.url));
const FOLLOW = new URL('follow-parent.ts', import.meta.url).href;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 8_000;
/** A process that ran this long was healthy, so the next pause is short again. */
const WELL_AFTER_MS = 30_000;
const STOP_WITHIN_MS = 32_000;
const MAX_OUTPUT = 64 * 1024;

export function startChild({ name, role, env, onLine }: ChildOptions): Child {
  let child: ChildProcess | null = null;
  let output = '';
  let isStopping = false;
  let waitMs = FIRST_PAUSE_MS;
  let ready = Promise.withResolvers<void>();
  ready.promise.catch(() => {});
  let ended: Promise<void> = Promise.resolve();

  function launch(): void {
    const startedAt = performance.now();
    const made = spawn(process.execPath, ['--import', FOLLOW, MAIN, 'serve', '--role', role], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child = made;
    const isReady = role === 'worker' ? /Parley is running/ : /Parley is ready/;
    for (const stream of [made.stdout, made.stderr]) {
      let rest = '';
      stream.on('data', (chunk: Buffer) => {
        output = (output + chunk.toString()).slice(-MAX_OUTPUT);
        const lines = (rest + chunk.toString()).split('\n');
        rest = lines.pop()!;
        for (const line of lines) onLine(name, line);
        // The greeting is complete after its last line.
        if (isReady.test(output)) ready.resolve();
      });
    }
    ended = new Promise((resolve) => {
      made.once('exit', (code, signal) => {
        child = null;
        resolve();
        if (isStopping) return;
        onLine(name, `ended (${signal ?? `code ${code}`}) and is started again`);
        if (performance.now() - startedAt > WELL_AFTER_MS) waitMs = FIRST_PAUSE_MS;
        ready.reject(new Error(`${name} ended:\n${output}`));
        ready = Promise.withResolvers<void>();
        ready.promise.catch(() => {});
        output = '';
        void again();
      });
    });
  }

  async function again(): Promise<void> {
    await pause(waitMs);
    waitMs = Math.min(waitMs * 2, LONGEST_PAUSE_MS);
    if (!isStopping) launch();
  }

  launch();
  return {
    name,
    pid: () => child?.pid ?? null,
    output: () => output,
    ready: () => ready.promise,
    stop: async () => {
      isStopping = true;
      child?.kill('SIGCONT');
      child?.kill('SIGTERM');
      const late = setTimeout(() => child?.kill('SIGKILL'), STOP_WITHIN_MS);
      await ended;
      clearTimeout(late);
    },
  };
}
