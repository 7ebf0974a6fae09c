import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { NetConnectOpts } from 'node:net';
import { fileURLToPath } from 'node:url';
import { freePort } from '../program.ts';
import { until } from './database.ts';
import { checkEdits, type Edit } from './edits.ts';
import type { ClockOrder, CrashOrder } from './plant.ts';
import { killAtExit } from './processes.ts';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';

/** A node is one process of the region with its own connection to the database. */
export type Node = {
  name: string;
  role: 'api' | 'worker';
  url: string;
  port: number;
  proxy: TcpProxy;
  isRunning(): boolean;
  /**
   * The promise of `start` resolves when the process serves requests. The process uses the previous plan unless the
   * caller gives a plan.
   */
  start(plan?: Plan): Promise<void>;
  /**
   * The promise of `end` resolves when the process has ended. The result is true if the process stopped gracefully by
   * itself.
   */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<boolean>;
  /** The promise of `gone` resolves when the process has ended for any reason. */
  gone(): Promise<void>;
  pause(): void;
  resume(): void;
  clock(order: ClockOrder): Promise<void>;
  /** Arms a crash point of a process whose plan contains crash points (edits.ts). */
  crash(order: CrashOrder): Promise<void>;
  output(): string;
  close(): Promise<void>;
};

export type Plan = {
  edits?: readonly Edit[];
  crash?: CrashOrder;
  env?: Record<string, string>;
  /** The folder with the sources that the process runs; the default is this checkout. */
  sources?: string;
};

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PLANT = fileURLToPath(new URL('plant.ts', import.meta.url));
const STARTS_WITHIN_MS = 60_000;
const MAX_OUTPUT = 200_000;

export async function createNode(
  name: string,
  role: Node['role'],
  target: NetConnectOpts,
  env: Record<string, string>,
): Promise<Node> {
  const proxy = await startTcpProxy(target);
  const port = await freePort();
  let child: ChildProcess | null = null;
  let text = '';
  let plan: Plan = {};
  const tell = async (order: ClockOrder | { crash: CrashOrder }): Promise<void> => {
    const done = once(child!, 'message');
    child!.send(order);
    await done;
  };
  const isRunning = () => child !== null && child.exitCode === null && child.signalCode === null;

  const node: Node = {
    name,
    role,
    url: `http://127.0.0.1:${port}`,
    port,
    proxy,
    isRunning,
    async start(given = plan) {
      plan = given;
      const { edits = [], crash } = plan;
      // The output of an earlier process must not use up the limit of this process.
      text = text.slice(-MAX_OUTPUT / 2);
      const from = text.length;
      checkEdits(edits);
      const settings = {
        ...env,
        ...plan.env,
        PATH: process.env.PATH ?? '',
        PORT: String(port),
        DATABASE_URL: `postgresql://parley@127.0.0.1:${proxy.port}/parley`,
        // Only a pooler listens on a port.
        ...('port' in target && { DATABASE_DIRECT_URL: `postgresql://parley@127.0.0.1:${proxy.port}/sessions` }),
        FAULT_PLANT: JSON.stringify({ edits, crash }),
      };
      child = spawn(process.execPath, ['--import', PLANT, 'src/main.ts', 'serve', '--role', role], {
        cwd: plan.sources ?? ROOT,
        env: settings,
        stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      });
      killAtExit(child);
      const collect = (chunk: Buffer) => {
        if (text.length < MAX_OUTPUT) text += chunk.toString();
      };
      child.stdout!.on('data', collect);
      child.stderr!.on('data', collect);
      // The exit of a killed process reports its end, and a write to its channel at the same moment may fail.
      child.on('error', () => {});
      await until(
        async () => {
          if (!isRunning()) throw new Error(`${name} did not start:\n${text}`);
          return role === 'worker' ? text.slice(from).includes('Parley is running') : isReady(node.url);
        },
        STARTS_WITHIN_MS,
        `The start of ${name}`,
      );
    },
    async end(signal) {
      if (!isRunning()) return false;
      const exit = once(child!, 'exit') as Promise<[number | null]>;
      child!.kill(signal);
      const [code] = await exit;
      return code === 0;
    },
    async gone() {
      if (isRunning()) await once(child!, 'exit');
    },
    pause: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
    clock: (order) => tell(order),
    // The process may die before it has responded.
    crash: (crash) => Promise.race([tell({ crash }), node.gone()]),
    output: () => text,
    async close() {
      child?.kill('SIGKILL');
      await node.gone();
      await proxy.close();
    },
  };
  return node;
}

export async function isReady(url: string): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/ready`, { signal: AbortSignal.timeout(1_000) });
    await answer.body?.cancel();
    return answer.status === 200;
  } catch {
    return false;
  }
}
