/** @module-tag long */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { printedCall } from '../../program.ts';

/**
 * `npm run cluster` in the steps of a person: paste the call, kill a node, stop another one gracefully, press Ctrl-C.
 */
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const PATIENCE = { timeout: 240_000, interval: 50 };

let dataDir: string;
let launcher: ChildProcess;
let output = '';
let call: ReturnType<typeof printedCall>;

beforeAll(async () => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'parley-cluster-'));
  launcher = spawn(process.execPath, ['cluster/run.ts', '--nodes', '2', '--workers', '1'], {
    cwd: ROOT,
    env: {
      PATH: process.env.PATH,
      DATA_DIR: dataDir,
      PORT: '0',
      PARLEY_LIMITS: '{"triggers":{"key":100000,"organization":100000}}',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  launcher.stdout!.on('data', (chunk: Buffer) => (output += chunk.toString()));
  launcher.stderr!.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await vi.waitUntil(() => output.includes('Ctrl-C stops everything'), PATIENCE);
  call = printedCall(output);
});

afterAll(async () => {
  if (launcher.exitCode === null) {
    launcher.kill('SIGTERM');
    await once(launcher, 'exit');
  }
  rmSync(dataDir, { recursive: true, force: true });
});

const pidOf = (name: string): number => Number(new RegExp(`${name} .*pid (\\d+)`).exec(output)![1]);
const urlOf = (name: string): string => new RegExp(`${name} +(http://\\S+)`).exec(output)![1]!;

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};
const isReady = async (name: string): Promise<boolean> =>
  fetch(`${urlOf(name)}/ready`).then(
    ({ status }) => status === 200,
    () => false,
  );

/** Makes calls through the load balancer in four parallel series until `isOver`. Returns the wrong responses. */
async function callUntil(isOver: () => Promise<boolean>): Promise<{ calls: number; faults: string[] }> {
  let calls = 0;
  let over = false;
  const faults: string[] = [];
  const callInTurn = async (number: number) => {
    for (let n = 0; !over; n += 1) {
      const isRead = n % 2 === 0;
      const answer = await fetch(isRead ? new URL('/api/me', call.url) : call.url, {
        method: isRead ? 'GET' : 'POST',
        headers: {
          authorization: `Bearer ${call.key}`,
          ...(!isRead && { 'content-type': 'application/json', 'idempotency-key': `${calls}-${number}-${n}` }),
        },
        ...(!isRead && { body: call.body }),
      }).catch((error: unknown) => error as Error);
      calls += 1;
      if (answer instanceof Error) faults.push(answer.message);
      else if (answer.status !== (isRead ? 200 : 202)) faults.push(`${answer.status} ${await answer.text()}`);
      else await answer.arrayBuffer();
    }
  };
  const callers = Promise.all([0, 1, 2, 3].map(callInTurn));
  await vi.waitUntil(isOver, PATIENCE);
  over = true;
  await callers;
  return { calls, faults };
}

test('the agent answers the printed call through balancer, node and worker', async () => {
  const answer = await fetch(call.url, {
    method: 'POST',
    headers: { authorization: `Bearer ${call.key}`, 'content-type': 'application/json', prefer: 'wait=20' },
    body: call.body,
  });
  expect(answer.status).toBe(200);
  const { messages } = (await answer.json()) as { messages: { sources: object[] }[] };
  expect(messages[0]!.sources).toHaveLength(1);
});

test('a node that stops gracefully fails no request and comes back', async () => {
  const pid = pidOf('api-1');
  process.kill(pid, 'SIGTERM');
  const { calls, faults } = await callUntil(async () => !isAlive(pid) && (await isReady('api-1')));
  expect(faults).toEqual([]);
  expect(calls).toBeGreaterThan(20);
});

test('a killed node is removed and restarted; requests that another node can handle do not fail', async () => {
  const pid = pidOf('api-2');
  process.kill(pid, 'SIGKILL');
  const { faults } = await callUntil(async () => output.includes('api-2     ended') && (await isReady('api-2')));
  expect(faults).toEqual([]);
});

test('Ctrl-C stops everything', async () => {
  const pids = [pidOf('worker-1')];
  launcher.kill('SIGINT');
  // The result includes all output, which may arrive after the exit.
  const [code] = (await once(launcher, 'close')) as [number];
  expect(code).toBe(0);
  expect(pids.filter(isAlive)).toEqual([]);
  for (const name of ['api-1', 'api-2']) expect(await isReady(name)).toBe(false);
  expect(output).toContain('Stopped.');
});
