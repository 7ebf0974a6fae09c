import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from '../../program.ts';
import { until } from '../database.ts';
import { request } from '../http-client.ts';
import { killAtExit } from '../processes.ts';
import { LOW_LIMIT } from '../region.ts';
import type { Scenario, Trial } from '../trial.ts';

/**
 * These scenarios need a real Redis that can be killed, emptied and stopped. Without Redis, the scenarios are skipped.
 */
export type Redis = {
  url: string;
  start(): Promise<void>;
  kill(): Promise<void>;
  signal(name: NodeJS.Signals): void;
  command(text: string): Promise<string>;
  stop(): Promise<void>;
};

let redis: Redis | null = null;

export async function startRedis(program = process.env.TEST_REDIS_SERVER ?? '/usr/bin/redis-server'): Promise<Redis> {
  const port = await freePort();
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-fault-redis-'));
  let child: ChildProcess | null = null;
  const command = (text: string) =>
    new Promise<string>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => socket.write(`${text}\r\n`));
      socket.setTimeout(1_000, () => socket.destroy());
      socket.once('data', (bytes: Buffer) => {
        resolve(bytes.toString().trim());
        socket.destroy();
      });
      socket.on('error', () => {});
      socket.once('close', () => resolve(''));
    });
  const server: Redis = {
    url: `redis://127.0.0.1:${port}`,
    async start() {
      const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', folder];
      child = spawn(program, args, { stdio: 'ignore' });
      child.on('error', () => {});
      killAtExit(child);
      await until(async () => (await command('PING')) === '+PONG', 10_000, 'The start of Redis');
    },
    async kill() {
      const ended = new Promise((resolve) => child!.once('exit', resolve));
      child!.kill('SIGKILL');
      await ended;
    },
    signal: (name) => void child!.kill(name),
    command,
    async stop() {
      child?.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await server.start();
  redis = server;
  return server;
}

const readCalls = (trial: Trial, key: number, count: number) => {
  const headers = { authorization: `Bearer ${trial.tenant.keys[key]!.value}` };
  return Promise.all(
    trial.region.api.flatMap((node) =>
      Array.from({ length: count }, () => request(`${node.url}/api/end-users?limit=1`, { headers })),
    ),
  );
};

/**
 * Returns the number of accepted calls out of `each` calls at every node. Any response except 200 and 429 is a finding.
 */
async function accepted(trial: Trial, each: number): Promise<number> {
  const answers = await readCalls(trial, trial.random.between(0, trial.tenant.keys.length - 1), each);
  const other = answers.find(({ status }) => status !== 200 && status !== 429);
  trial.expect(
    other === undefined,
    `a limited call was answered ${other?.status} ${other?.body?.code ?? other?.error}`,
  );
  return answers.filter(({ status }) => status === 200).length;
}

/**
 * The numbers of accepted calls are meaningful only while Redis responds in time. On an overloaded machine, a node
 * correctly treats Redis as lost and counts alone. If Redis counts as lost, the calls are repeated by an organization
 * without earlier calls.
 */
async function whileWell<T>(trial: Trial, work: (trial: Trial) => Promise<T>): Promise<T> {
  for (let left = TRIES; ; left--) {
    const before = timesLost(trial);
    const result = await work({ ...trial, tenant: await trial.region.tenant(1) });
    await trial.pause(LOGGED_MS);
    if (timesLost(trial) === before) return result;
    if (left === 0) throw new Error(`Redis was late in ${TRIES} tries: this machine is too busy to say anything.`);
    await trial.pause(NOTICED_MS);
  }
}

const TRIES = 10;
const LOGGED_MS = 200;
const timesLost = ({ region }: Trial): number =>
  region.api.reduce((total, node) => total + node.output().split('Redis is not available').length - 1, 0);

/** Nodes notice within a quarter of a second that Redis is back. */
const NOTICED_MS = 1_500;

async function exactAgain(trial: Trial): Promise<void> {
  await redis!.command('FLUSHALL');
  await trial.pause(NOTICED_MS);
  const count = await whileWell(trial, (fresh) => accepted(fresh, LOW_LIMIT));
  trial.expect(count === LOW_LIMIT, `with Redis back ${count} calls were accepted, not exactly ${LOW_LIMIT}`);
}

export const redisScenarios: Scenario[] = [
  {
    name: 'redis-exact',
    expects: 'with Redis all nodes together accept exactly the limit',
    callers: 0,
    run: exactAgain,
  },
  {
    name: 'redis-killed',
    expects:
      'Redis killed: no call waits, each node enforces its share of the limit; back, without a restart, it is exact',
    callers: 2,
    async run(trial) {
      await redis!.kill();
      const count = await accepted(trial, LOW_LIMIT);
      trial.expect(count <= LOW_LIMIT, `without Redis ${count} calls were accepted where ${LOW_LIMIT} are allowed`);
      trial.expect(count >= LOW_LIMIT - trial.region.api.length, `without Redis only ${count} calls were accepted`);
      await redis!.start();
      await exactAgain(trial);
    },
  },
  {
    name: 'redis-flushed',
    expects: 'Redis emptied in the middle of a minute: at most one limit more, and no error',
    callers: 2,
    async run(trial) {
      const [before, after] = await whileWell(trial, async (fresh) => {
        const first = await accepted(fresh, LOW_LIMIT);
        await redis!.command('FLUSHALL');
        return [first, await accepted(fresh, LOW_LIMIT)] as const;
      });
      trial.expect(before <= LOW_LIMIT && after <= LOW_LIMIT, `${before} and then ${after} calls were accepted`);
      await exactAgain(trial);
    },
  },
  {
    name: 'redis-paused',
    expects: 'Redis stopped, its connections open: calls continue, each node with its share; then it is exact again',
    callers: 2,
    async run(trial) {
      redis!.signal('SIGSTOP');
      const count = await accepted(trial, LOW_LIMIT);
      trial.expect(
        count <= LOW_LIMIT,
        `with Redis stopped ${count} calls were accepted where ${LOW_LIMIT} are allowed`,
      );
      redis!.signal('SIGCONT');
      await exactAgain(trial);
    },
  },
];
