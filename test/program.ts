import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';

import { ownFile } from '../src/kernel/own-files.ts';

export { freePort } from '../cluster/ports.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** The file that `./parley` runs, which scripts/test.mjs builds. */
export const BUILT = ownFile('dist/parley.js');

/** Runs the program of `npm start` in its own process. The program is built, so it starts in a quarter of the time. */
export type Program = {
  child: ChildProcess;
  url: string;
  /** Returns the output of the program so far. */
  output(): string;
  /** The promise resolves when the text was printed, and rejects when the program ends before. */
  printed(text: string | RegExp): Promise<void>;
  stop(signal?: NodeJS.Signals): Promise<number | null>;
};

/** The time for reading the output of an ended program while one of its child processes still keeps the pipe open. */
const LAST_WORDS_MS = 2_000;

/**
 * A start takes a second or two, and the first start creates a database. On a busy machine, a start takes many times as
 * long.
 */
const PRINTED_WITHIN_MS = 80_000;

export function runProgram(env: Record<string, string>, args: string[] = ['serve'], built = BUILT): Program {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const child = spawn(process.execPath, [built, ...args], {
    cwd: ROOT,
    env: { PATH, NODE_COMPILE_CACHE, LOG_LEVEL: 'warn', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const exit = once(child, 'exit') as Promise<[number | null]>;
  // The last output may arrive after the exit of the program.
  let isSilent = false;
  const silence = once(child, 'close').then(() => (isSilent = true));
  return {
    child,
    url: `http://127.0.0.1:${env.PORT}`,
    output: () => text,
    printed: async (wanted) => {
      const until = performance.now() + PRINTED_WITHIN_MS;
      for (;;) {
        const isLastLook = isSilent || performance.now() > until;
        if (typeof wanted === 'string' ? text.includes(wanted) : wanted.test(text)) return;
        if (isLastLook) break;
        await sleep(25);
      }
      throw new Error(`"${wanted}" was not printed:\n${text}`);
    },
    stop: async (signal = 'SIGTERM') => {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      const [code] = await exit;
      await Promise.race([silence, sleep(LAST_WORDS_MS, undefined, { ref: false })]);
      return code;
    },
  };
}

/**
 * Kills the program, and waits until Postgres has ended its connections: its last statement may still run after the kill.
 * A test that ends the leases of the dead program ends them before the next start, because the leases of a live program
 * must stay.
 */
export async function killProgram(program: Program, client: { query: pg.Pool['query'] }): Promise<void> {
  await program.stop('SIGKILL');
  for (;;) {
    const { rows } = await client.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'parley %'`,
    );
    if (rows.length === 0) return;
    await sleep(10);
  }
}

/** Returns the example call that the first start prints. */
export function printedCall(output: string): { url: string; key: string; body: string } {
  const url = /curl -s (\S+)/.exec(output)?.[1];
  // If the output is not a terminal, the example call names the file that contains the key.
  const file = /Bearer \$\(cat '([^']+)'\)/.exec(output)?.[1];
  const key = file && readFileSync(file, 'utf8').trim();
  const body = /-d '([^']+)'/.exec(output)?.[1];
  if (!url || !key || !body) throw new Error(`no call was printed:\n${output}`);
  return { url, key, body };
}
