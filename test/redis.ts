import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createClient } from '@redis/client';
import { freePort } from './program.ts';

/** Starts a separate in-memory Redis, or returns null if `npm test` found no redis-server and could not install it. */
export type TestRedis = {
  url: string;
  port: number;
  pid(): number;
  /** Ends the server immediately, like a crash. */
  kill(): Promise<void>;
  /** Removes all data with FLUSHALL. */
  flush(): Promise<void>;
  /** Starts Redis again on the same port, without data. */
  restart(): Promise<void>;
  stop(): Promise<void>;
};

export const REDIS_SERVER = [
  process.env.TEST_REDIS_SERVER,
  '/usr/bin/redis-server',
  '/usr/local/bin/redis-server',
].find((file) => file !== undefined && existsSync(file));

export async function startRedis(options: { password?: string } = {}): Promise<TestRedis> {
  if (REDIS_SERVER === undefined) throw new Error('redis-server is not installed: apt-get install redis-server');
  const port = await freePort();
  let child = await launch(REDIS_SERVER, port, options.password);
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGCONT');
    child.kill(signal);
    await ended;
  };
  const url = `redis://${options.password === undefined ? '' : `:${options.password}@`}127.0.0.1:${port}`;
  return {
    url,
    port,
    pid: () => child.pid!,
    kill: () => end('SIGKILL'),
    flush: async () => {
      const client = createClient({ url });
      await client.connect();
      await client.flushAll();
      client.destroy();
    },
    restart: async () => {
      await end('SIGKILL');
      child = await launch(REDIS_SERVER, port, options.password);
    },
    stop: () => end('SIGKILL'),
  };
}

async function launch(file: string, port: number, password: string | undefined): Promise<ChildProcess> {
  const settings = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', '/tmp'];
  const child = spawn(file, [...settings, ...(password === undefined ? [] : ['--requirepass', password])], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  await new Promise<void>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`redis-server ended with ${code}:\n${output}`)));
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes('Ready to accept connections')) resolve();
    });
  });
  return child;
}
