/** @module-tag long */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { installPackage, megabytes, PATH } from '../../installed-package.ts';
import { freePort, printedCall } from '../../program.ts';

/**
 * The npm package with its own PostgreSQL, which npm downloads: started in an empty folder, killed, and started again.
 * test/package.test.ts tests the package without it.
 */
const MAX_INSTALLED_MB = 120;

let folder: string;
let home: string;
let port: string;
let program: ChildProcess;
let output = '';

beforeAll(async () => {
  ({ folder, home } = await installPackage());
  port = String(await freePort());
});

afterAll(async () => {
  if (program?.exitCode === null && program.signalCode === null) {
    program.kill('SIGTERM');
    await once(program, 'exit');
  }
  rmSync(folder, { recursive: true, force: true });
});

async function start(): Promise<void> {
  output = '';
  const command = path.join(folder, 'node_modules', '.bin', 'parley');
  program = spawn(command, { cwd: folder, env: { PATH, HOME: home, PORT: port }, stdio: ['ignore', 'pipe', 'pipe'] });
  program.stdout!.on('data', (chunk: Buffer) => (output += chunk.toString()));
  program.stderr!.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await vi.waitUntil(
    () => {
      if (program.exitCode !== null) throw new Error(`The program ended with ${program.exitCode}:\n${output}`);
      return /-d '\{.*\}'|Here are/.test(output);
    },
    { timeout: 240_000, interval: 50 },
  );
}

test('the package needs only npm, stores its data in the current folder, and keeps it after a kill', async () => {
  const size = megabytes(path.join(folder, 'node_modules'));
  console.log(`installed with the embedded Postgres: ${size.toFixed(1)} MB`);
  expect(size).toBeLessThan(MAX_INSTALLED_MB);
  await start();
  const { url, key, body } = printedCall(output);
  const call = (): Promise<Response> =>
    fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', prefer: 'wait=20' },
      body,
    });
  expect((await call()).status).toBe(200);
  expect(existsSync(path.join(folder, 'data', 'postgres'))).toBe(true);
  program.kill('SIGKILL');
  await once(program, 'exit');
  await start();
  expect((await call()).status).toBe(200);
  program.kill('SIGTERM');
  expect(await once(program, 'exit')).toEqual([0, null]);
});
