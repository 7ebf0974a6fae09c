import { setTimeout as sleep } from 'node:timers/promises';
import type { Plan } from '../../compare.ts';
import { quantile, type Region, startRegion, type Tenant } from '../../region.ts';

const HEALTHY = 200;
const FAULTY = 12;
/** The time until a killed node runs again and all leases are fresh. */
const REST_MS = 1_500;

/**
 * Measures the time from the request "Revoke" to the response "revoked", with three nodes that have the key in memory.
 * The section then measures a revoke with one node killed, and with one node stopped, at that moment.
 */
export async function revoke(plan: Plan): Promise<string[]> {
  await using region = await startRegion(3);
  const tenant = await region.tenant();
  const { nodes } = region.cluster;
  const lines: string[] = [];

  // The node without a fault answers the request.
  const healthy: number[] = [];
  for (let n = 0; n < Math.max(20, HEALTHY * plan.scale); n += 1)
    healthy.push(await revokeOnce(region, tenant, n % 3, [0, 1, 2]));
  lines.push(timesText('all three well', healthy));

  const paused: number[] = [];
  for (let n = 0; n < FAULTY; n += 1) {
    const pid = nodes[2]!.pid()!;
    paused.push(await revokeOnce(region, tenant, n % 2, [0, 1], () => process.kill(pid, 'SIGSTOP')));
    process.kill(pid, 'SIGCONT');
    await sleep(REST_MS);
  }
  lines.push(timesText('one stopped (SIGSTOP)', paused));

  const dead: number[] = [];
  for (let n = 0; n < FAULTY; n += 1) {
    const pid = nodes[2]!.pid()!;
    dead.push(await revokeOnce(region, tenant, n % 2, [0, 1], () => process.kill(pid, 'SIGKILL')));
    while (!(await isReady(nodes[2]!.url))) await sleep(100);
    await sleep(REST_MS);
  }
  lines.push(timesText('one killed (SIGKILL)', dead));
  return lines;
}

/** Returns the milliseconds, and throws if a running node still accepts the key afterwards. */
async function revokeOnce(
  region: Region,
  { orgId }: Tenant,
  by: number,
  well: number[],
  fault?: () => void,
): Promise<number> {
  const key = await region.key(orgId);
  const me = (node: number) =>
    fetch(`${region.cluster.nodes[node]!.url}/api/me`, { headers: { authorization: `Bearer ${key.value}` } });
  for (const node of [0, 1, 2]) {
    const { status } = await me(node);
    if (status !== 200) throw new Error(`Before it was revoked, the key was answered ${status}.`);
  }
  fault?.();
  const since = performance.now();
  const answer = await region.revoke(by, orgId, key.id);
  const waited = performance.now() - since;
  const { state } = (await answer.json()) as { state?: string };
  if (answer.status !== 200 || state !== 'revoked')
    throw new Error(`The revoke was answered ${answer.status}, ${state}.`);
  for (const node of well) {
    const { status } = await me(node);
    if (status !== 401) throw new Error(`After "revoked", node ${node} answered ${status}.`);
  }
  return waited;
}

const isReady = (url: string): Promise<boolean> =>
  fetch(`${url}/ready`).then(
    ({ status }) => status === 200,
    () => false,
  );

const timesText = (name: string, times: readonly number[]): string =>
  `${name.padEnd(24)} p50 ${quantile(times, 0.5).toFixed(1)} ms, p99 ${quantile(times, 0.99).toFixed(1)} ms (${times.length} revokes)`;
