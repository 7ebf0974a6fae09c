import http from 'node:http';

/**
 * `node steady.ts JSON` makes calls at a steady rate regardless of the responses, like many independent callers. The
 * program prints the outcome of the calls. The load generator is a separate process, so that a fast generator does not
 * slow another.
 */
/** The keys of `callers` take turns. */
export type Steady = {
  origin: string;
  callers: { path: string; key: string }[];
  perSecond: number;
  seconds: number;
};
export type SteadyResult = { p50: number; p99: number; statuses: Record<string, number> };

const TICK_MS = 5;
const { origin, callers, perSecond, seconds } = JSON.parse(process.argv[2]!) as Steady;
const agent = new http.Agent({ keepAlive: true, maxSockets: 64 });
const times: number[] = [];
const statuses: Record<string, number> = {};
const pending: Promise<void>[] = [];
let sent = 0;

const call = ({ path, key }: Steady['callers'][number]): Promise<void> =>
  new Promise((resolve) => {
    const since = performance.now();
    const over = (status: string | number): void => {
      times.push(performance.now() - since);
      statuses[status] = (statuses[status] ?? 0) + 1;
      resolve();
    };
    const headers = { authorization: `Bearer ${key}` };
    const request = http.request(origin + path, { method: 'POST', agent, headers });
    request.on('response', (answer) => answer.resume().on('end', () => over(answer.statusCode!)));
    request.on('error', () => over('broken'));
    request.end();
  });

const began = performance.now();
await new Promise<void>((resolve) => {
  const timer = setInterval(() => {
    const elapsed = (performance.now() - began) / 1_000;
    for (; sent < Math.min(elapsed, seconds) * perSecond; sent += 1)
      pending.push(call(callers[sent % callers.length]!));
    if (elapsed < seconds) return;
    clearInterval(timer);
    resolve();
  }, TICK_MS);
});
await Promise.all(pending);
times.sort((a, b) => a - b);
const at = (q: number): number => times[Math.min(times.length - 1, Math.floor(times.length * q))] ?? 0;
process.stdout.write(`${JSON.stringify({ p50: at(0.5), p99: at(0.99), statuses } satisfies SteadyResult)}\n`);
agent.destroy();
