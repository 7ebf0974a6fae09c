import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { installPackage, megabytes, PATH } from './installed-package.ts';
import { createTestDatabase, type TestDatabase } from './postgres.ts';
import { freePort, printedCall } from './program.ts';

/**
 * The npm package in the environment of a user: built, packed, installed into an empty folder with an empty home. A
 * source import that the bundle lacks fails here.
 */
/** The maximum size of program and sites. The optional embedded Postgres adds 60 MB. */
const MAX_INSTALLED_MB = 40;
/** When drizzle was not bundled, it was 330. */
const MAX_IDLE_MB = 150;

const run = promisify(execFile);

let folder: string;
let home: string;
let database: TestDatabase;
let settings: Record<string, string>;
let program: ChildProcess;
let output = '';

/** Building, installing and starting the package takes 15 s, or 50 s on a busy machine. */
const INSTALL_MS = 120_000;

const command = () => path.join(folder, 'node_modules', '.bin', 'parley');

beforeAll(async () => {
  // Without the embedded Postgres, nothing needs to be downloaded.
  ({ folder, home } = await installPackage('--offline', '--omit=optional'));

  database = await createTestDatabase();
  settings = {
    PATH,
    HOME: home,
    PORT: String(await freePort()),
    DATABASE_URL: database.url,
    PARLEY_SECRET: randomBytes(36).toString('base64url'),
    PARLEY_DEMO: '1',
  };
  await start(/-d '\{.*\}'/);
}, INSTALL_MS);

/** Runs only `parley` until it has printed the expected text. */
async function start(wanted: RegExp): Promise<void> {
  output = '';
  program = spawn(command(), [], { cwd: folder, env: settings, stdio: ['ignore', 'pipe', 'pipe'] });
  program.stdout!.on('data', (chunk: Buffer) => (output += chunk.toString()));
  program.stderr!.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await vi.waitUntil(
    () => {
      if (program.exitCode !== null) throw new Error(`The program ended with ${program.exitCode}:\n${output}`);
      return wanted.test(output);
    },
    { timeout: 80_000, interval: 25 },
  );
}

afterAll(async () => {
  if (program.exitCode === null && program.signalCode === null) {
    program.kill('SIGKILL');
    await once(program, 'exit');
  }
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

describe('the package', () => {
  test('the package answers the call that it prints, and serves dashboard, web chat and reference', async () => {
    const { url, key, body } = printedCall(output);
    const answer = await fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', prefer: 'wait=20' },
      body,
    });
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain('Shop guide');
    const { origin } = new URL(url);
    const chat = /\/chat\/channel_\w+/.exec(output)![0];
    for (const page of ['/', '/docs', '/docs/style.css', '/docs/guides/sending', '/api/openapi.json', chat]) {
      const { status } = await fetch(origin + page, { headers: { accept: 'text/html' } });
      expect([page, status]).toEqual([page, 200]);
    }
  });

  test('the package contains the command line, which finds the server', async () => {
    const { stdout } = await run(command(), ['doctor', '--json'], {
      env: { PATH, HOME: home, PARLEY_URL: new URL(printedCall(output).url).origin },
    }).catch((error: { stdout: string }) => error);
    const { checks } = JSON.parse(stdout) as { checks: { name: string; status: string }[] };
    expect(checks).toContainEqual(expect.objectContaining({ name: 'server', status: 'ok' }));
  });

  test('an error shows its position in the sources', async () => {
    const fault = `import net from 'node:net'; import { syncBuiltinESMExports } from 'node:module';
      net.createServer = () => { throw new Error('planted') }; syncBuiltinESMExports();`;
    const failed = await run(command(), ['serve'], {
      env: {
        PATH,
        NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(fault)}`,
        DATA_DIR: path.join(folder, 'data'),
      },
    }).catch((error: { stderr: string }) => error);
    expect(failed.stderr).toMatch(/Error: planted[^]* \(?src\/start\/serve\.ts:\d+:\d+/);
    expect(failed.stderr).not.toContain('main.js:');
  });

  test('the package is small, has no dependency, and contains no file of this machine', () => {
    const size = megabytes(path.join(folder, 'node_modules'));
    console.log(`installed without the embedded Postgres: ${size.toFixed(1)} MB`);
    expect(size).toBeLessThan(MAX_INSTALLED_MB);
    const installed = readdirSync(path.join(folder, 'node_modules')).filter((name) => !name.startsWith('.'));
    expect([installed, readdirSync(path.join(folder, 'node_modules', '@parley'))]).toEqual([['@parley'], ['server']]);
  });

  test('the package contains the licenses of all bundled code, including the dashboard’s', () => {
    const licenses = (...file: string[]) =>
      readFileSync(path.join(folder, 'node_modules', '@parley', 'server', ...file), 'utf8');
    expect(licenses('LICENSES-OF-PACKAGES.txt')).toContain('fastify');
    expect(licenses('dashboard', 'dist', 'licenses.md')).toContain('@mantine/core');
  });

  test('SIGTERM ends the program gracefully, and the next start needs little memory', async () => {
    program.kill('SIGTERM');
    expect(await once(program, 'exit')).toEqual([0, null]);
    await start(/Here are 1 organization/);
    const status = readFileSync(`/proc/${program.pid}/status`, 'utf8');
    const resident = Number(/VmRSS:\s+(\d+) kB/.exec(status)![1]) / 1_024;
    console.log(`resident after the start: ${resident.toFixed(0)} MB`);
    expect(resident).toBeLessThan(MAX_IDLE_MB);
  });
});
