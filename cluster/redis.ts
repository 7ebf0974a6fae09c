import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { StartError } from '../src/kernel/start-error.ts';
import { freePort } from './ports.ts';

/** A separate in-memory Redis for the cluster. The Redis server ends with this process. */
export async function startRedis(searchPath: string): Promise<{ url: string; stop(): Promise<void> }> {
  const file = [...searchPath.split(path.delimiter), '/usr/bin', '/usr/local/bin']
    .map((folder) => path.join(folder, 'redis-server'))
    .find((name) => existsSync(name));
  if (file === undefined) {
    throw new StartError(
      '--redis needs redis-server, which is not installed here.',
      'Install it (Debian: apt-get install redis-server), or set REDIS_URL to one that runs, or leave --redis out.',
    );
  }
  const port = await freePort();
  const child = spawn(file, ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise<void>((resolve, reject) => {
    let output = '';
    child.once('exit', () => reject(new StartError(`redis-server ended: ${output}`, 'Look at what it says.')));
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes('Ready to accept connections')) resolve();
    });
  });
  return {
    url: `redis://127.0.0.1:${port}`,
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await ended;
    },
  };
}
