import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** The real program in a process of its own, as `npm start` runs it once everything is set up. */
export type Program = {
  child: ChildProcess;
  url: string;
  /** What it has printed so far. */
  output(): string;
  /** Resolves once the text was printed; rejects when the program ends before. */
  printed(text: string | RegExp): Promise<void>;
  stop(signal?: NodeJS.Signals): Promise<number | null>;
};

export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as { port: number };
  probe.close();
  await once(probe, 'close');
  return port;
}

export function runProgram(env: Record<string, string>, args: string[] = ['serve']): Program {
  const child = spawn(process.execPath, ['src/main.ts', ...args], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, LOG_LEVEL: 'warn', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const exit = once(child, 'exit') as Promise<[number | null]>;
  return {
    child,
    url: `http://127.0.0.1:${env.PORT}`,
    output: () => text,
    printed: async (wanted) => {
      for (let look = 0; look < 1_200; look++) {
        if (typeof wanted === 'string' ? text.includes(wanted) : wanted.test(text)) return;
        if (child.exitCode !== null || child.signalCode !== null) break;
        await new Promise((resolve) => setTimeout(resolve, 25));
      }
      throw new Error(`"${wanted}" was not printed:\n${text}`);
    },
    stop: async (signal = 'SIGTERM') => {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      const [code] = await exit;
      return code;
    },
  };
}

/** The call that the first start prints. */
export function printedCall(output: string): { url: string; key: string; body: string } {
  const url = /curl -s (\S+)/.exec(output)?.[1];
  const key = /Bearer (parley_\w+)/.exec(output)?.[1];
  const body = /-d '([^']+)'/.exec(output)?.[1];
  if (!url || !key || !body) throw new Error(`no call was printed:\n${output}`);
  return { url, key, body };
}
