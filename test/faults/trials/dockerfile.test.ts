/** @module-tag long */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { build, type Image, makeReadOnly } from '../../deploy/dockerfile.ts';
import { createTestDatabase, type TestDatabase } from '../../postgres.ts';
import { freePort } from '../../program.ts';
import { startTcpProxy, type TcpProxy } from '../tcp-proxy.ts';

/**
 * Builds the image as far as possible without a container engine. The steps of the real Dockerfile run in empty
 * folders. Then the program of the last stage runs on read-only code, as the image's user if permitted.
 */
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
let folder: string;
let image: Image;
let database: TestDatabase;
let proxy: TcpProxy;
let port: string;
let env: Record<string, string>;
const running: ChildProcess[] = [];

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'parley-image-'));
  chmodSync(folder, 0o755);
  // The parts of the base image: its own Node, and npm.
  const bin = path.join(folder, 'bin');
  mkdirSync(bin);
  copyFileSync(process.execPath, path.join(bin, 'node'));
  // Registry, proxy and certificates are settings of this machine. The other variables are not for the build.
  const own = /^(NODE_COMPILE_CACHE|DATABASE_URL|PARLEY_.*|TEST_.*|VITEST.*)$/;
  const settings = Object.entries(process.env).filter(([name]) => !own.test(name));
  const PATH = `${bin}${path.delimiter}${process.env.PATH}`;
  image = build(ROOT, path.join(folder, 'stages'), { ...Object.fromEntries(settings), PATH });
  makeReadOnly(image.root);
  database = await createTestDatabase();
  // The connection uses the network, as in a container. Other users have no access to the socket of the tests'
  // database.
  const url = new URL(database.url);
  proxy = await startTcpProxy({ path: path.join(url.searchParams.get('host')!, '.s.PGSQL.5432') });
  url.search = '';
  url.host = `127.0.0.1:${proxy.port}`;
  port = String(await freePort());
  env = { PATH: `${bin}:/usr/bin:/bin`, ...image.env, HOST: '127.0.0.1', PORT: port, DATABASE_URL: url.href };
  env['PARLEY_SECRET'] = 'mZ5r1Qw8Xy2Lk9Tb4Hn7Vc3Jd6Gf0PsAeUoI+/RtYh';
  // It installs all packages and builds everything.
}, 900_000);

afterAll(async () => {
  for (const child of running) if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
  await proxy?.close();
  await database?.drop();
  if (image) spawnSync('chmod', ['-R', 'u+w', image.root]);
  rmSync(folder, { recursive: true, force: true });
});

/** Root may write everywhere and can switch to another user, so the program runs as the image's user. */
const asUser = (): { uid?: number; gid?: number } => {
  const [uid, gid] = image.user.split(':').map(Number);
  return process.getuid?.() === 0 ? { uid, gid } : {};
};

const options = (more: Record<string, string> = {}) => ({
  cwd: path.join(image.root, image.workdir),
  env: { ...env, ...more },
  ...asUser(),
});

function start(args: string[], more: Record<string, string> = {}): { child: ChildProcess; output: () => string } {
  const [program, ...first] = image.entrypoint;
  const child = spawn(program!, [...first, ...args], { ...options(more), stdio: ['ignore', 'pipe', 'pipe'] });
  running.push(child);
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return { child, output: () => text };
}

/** The call must not block this process, because the proxy to the database runs in it. */
async function checkHealth(): Promise<number> {
  const [program, ...args] = image.healthcheck;
  const [code] = await once(spawn(program!, args, { ...options(), stdio: 'ignore' }), 'exit');
  return code as number;
}
const statusOf = (url: string, headers = {}) =>
  fetch(url, { headers }).then(
    ({ status }) => status,
    () => 0,
  );

test('the last stage runs as a user other than root, who cannot change the code', () => {
  expect(image.user).toMatch(/^[1-9]\d*:[1-9]\d*$/);
  expect(image.stopSignal).toBe('SIGTERM');
  const file = path.join(image.root, image.workdir, 'package.json');
  expect(spawnSync('sh', ['-c', `echo x >> '${file}'`], options()).status).not.toBe(0);
});

test('the command `migrate` ends by itself', async () => {
  const { child, output } = start(['migrate']);
  const [code] = await once(child, 'exit');
  expect([code, output()]).toEqual([0, expect.stringContaining('up to date')]);
});

test('the command of the image serves, passes its health check and ends gracefully on SIGTERM', async () => {
  expect(await checkHealth()).toBe(1);
  const { child, output } = start(image.command);
  await expect.poll(async () => [await checkHealth(), child.exitCode], { timeout: 80_000 }).toEqual([0, null]);
  const url = `http://127.0.0.1:${port}`;
  for (const page of ['/', '/docs', '/docs/guides/sending', '/api/openapi.json'])
    expect([page, await statusOf(url + page, { accept: 'text/html' })]).toEqual([page, 200]);
  expect(await statusOf(`${url}/api/me`)).toBe(401);
  child.kill(image.stopSignal as NodeJS.Signals);
  expect([await once(child, 'exit'), output()]).toEqual([[0, null], expect.stringContaining('stopping: SIGTERM')]);
  expect(await checkHealth()).toBe(1);
});

test('a worker serves its probes on METRICS_ADDRESS', async () => {
  const address = `127.0.0.1:${await freePort()}`;
  const { child } = start(['serve', '--role', 'worker'], { METRICS_ADDRESS: address });
  await expect.poll(() => statusOf(`http://${address}/ready`), { timeout: 80_000 }).toBe(200);
  expect(await statusOf(`http://${address}/api/health`)).toBe(200);
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
});
