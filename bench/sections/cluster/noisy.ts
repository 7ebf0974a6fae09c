import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { median, type Plan } from '../../compare.ts';
import { startRegion } from '../../region.ts';
import type { Steady, SteadyResult } from '../../steady.ts';

const STEADY = fileURLToPath(new URL('../../steady.ts', import.meta.url));
const run = promisify(execFile);

/**
 * The limit per minute of a key and of its organization. The noisy tenant makes a hundred times as many calls as its
 * limit allows.
 */
const LIMIT = 600;
const QUIET_TENANTS = 10;
/** The number of calls a second of each quiet tenant, well below its limit. */
const QUIET_PER_SECOND = 5;

/**
 * Measures in alternation the response times of other tenants with and without one tenant that calls at a hundred times
 * its limit.
 */
export async function noisy(plan: Plan): Promise<string[]> {
  await using region = await startRegion(1, {
    workers: 1,
    limits: { triggers: { key: LIMIT, organization: LIMIT } },
  });
  const origin = region.cluster.nodes[0]!.url;
  const quiet: Steady['callers'] = [];
  for (let n = 0; n < QUIET_TENANTS; n += 1) {
    const { triggerPath, key } = await region.tenant();
    quiet.push({ path: triggerPath, key: key.value });
  }
  const { triggerPath, key } = await region.tenant();
  const loud = [{ path: triggerPath, key: key.value }];
  const seconds = Math.max(5, plan.seconds);
  const others = () => steady({ origin, callers: quiet, perSecond: QUIET_TENANTS * QUIET_PER_SECOND, seconds });
  const noise = () => steady({ origin, callers: loud, perSecond: (LIMIT * 100) / 60, seconds });

  await others();
  const alone: SteadyResult[] = [];
  const beside: SteadyResult[] = [];
  const noises: SteadyResult[] = [];
  for (let round = 0; round < plan.rounds; round += 1) {
    alone.push(await others());
    const [quietOnes, loudOne] = await Promise.all([others(), noise()]);
    beside.push(quietOnes);
    noises.push(loudOne);
  }
  return [
    `${QUIET_TENANTS} tenants, ${QUIET_PER_SECOND} calls/s each, alone: p50 ${p50(alone).toFixed(1)} ms, p99 ${p99(alone).toFixed(1)} ms; ${statusesOf(alone)}`,
    `the same beside the noisy one:     p50 ${p50(beside).toFixed(1)} ms, p99 ${p99(beside).toFixed(1)} ms; ${statusesOf(beside)}`,
    `p99 ${(p99(beside) / p99(alone)).toFixed(2)} × (rounds: ${alone.map((one, n) => (beside[n]!.p99 / one.p99).toFixed(2)).join(', ')}); the noisy one was answered ${statusesOf(noises)}`,
  ];
}

const p99 = (results: readonly SteadyResult[]): number => median(results.map((one) => one.p99));
const p50 = (results: readonly SteadyResult[]): number => median(results.map((one) => one.p50));

async function steady(load: Steady): Promise<SteadyResult> {
  const { stdout } = await run(process.execPath, [STEADY, JSON.stringify(load)]);
  return JSON.parse(stdout) as SteadyResult;
}

function statusesOf(results: readonly SteadyResult[]): string {
  const counts: Record<string, number> = {};
  for (const { statuses } of results)
    for (const [status, n] of Object.entries(statuses)) counts[status] = (counts[status] ?? 0) + n;
  return Object.entries(counts)
    .map(([status, n]) => `${n} × ${status}`)
    .join(', ');
}
