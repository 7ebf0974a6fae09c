import { globSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { ownFile } from '../../src/kernel/own-files.ts';
import { type CitusCluster, startCitus, startPlain } from '../../test/citus/cluster.ts';
import { median, type Plan } from '../compare.ts';
import { fire, type Shot } from '../load.ts';
import { limitProcessor, type ProcessorLimit } from '../limit-processor.ts';
import { fireAll, type Region, startRegion, type Tenant } from '../region.ts';

/**
 * Compares the same program on plain PostgreSQL 15 and through the coordinator of Citus, in turns. The section then
 * compares two workers of Citus, with a tenth of a core each, with one worker. `npm run test:citus` builds Citus.
 */
const TREE = process.env.CITUS_TREE ?? globSync(ownFile('node_modules/.cache/citus-????????????'))[0];
const DURABLE = { fsync: 'on', shared_buffers: '128MB' };
const SHARE = 0.1;
const REVOKES = 10;
const PAGES = 20;
const CALLS = 40;
const DRAINED_WITHIN_MS = 300_000;

export async function citus(plan: Plan): Promise<string[]> {
  if (TREE === undefined) return ['skipped: Citus is not built here (npm run test:citus)'];
  return [...(await besidePlain(TREE, plan)), ...(await growth(TREE, plan))];
}

type Side = { region: Region; tenant: Tenant };
/** In the table of this section, a larger number is better. */
type Rates = Record<string, number>;

async function besidePlain(tree: string, plan: Plan): Promise<string[]> {
  const plain = await startPlain(tree, DURABLE);
  const cluster = await startCitus(tree, { settings: DURABLE });
  try {
    await using onPlain = await startRegion(1, { workers: 1, databaseUrl: plain.url });
    await using onCitus = await startRegion(1, { workers: 1, databaseUrl: cluster.url });
    const sides: Side[] = [];
    for (const region of [onPlain, onCitus]) sides.push({ region, tenant: await region.tenant() });
    await insistOnWorker(sides[1]!);
    for (const side of sides) await ratesOf(side, 1);
    const rounds: [Rates, Rates][] = [];
    for (let round = 0; round < plan.rounds; round += 1)
      rounds.push([await ratesOf(sides[0]!, plan.seconds), await ratesOf(sides[1]!, plan.seconds)]);
    return Object.keys(rounds[0]![0]).map((name) =>
      comparisonText(
        name,
        rounds.map(([there, here]) => [here[name]!, there[name]!]),
      ),
    );
  } finally {
    await cluster.stop();
    await plain.stop();
  }
}

/** The rows of the cell `public` would be on the coordinator. */
async function insistOnWorker({ region, tenant }: Side): Promise<void> {
  const { rows } = await region.db.$client.query<{ cell: string }>(
    'SELECT cell FROM public.organization WHERE id = $1',
    [tenant.orgId],
  );
  if (rows[0]!.cell === 'public') throw new Error('The organization is in no cell of a worker.');
}

async function ratesOf(side: Side, seconds: number): Promise<Rates> {
  const { region, tenant } = side;
  const [node] = region.cluster.nodes;
  const worker = region.cluster.workers[0]!.pid()!;
  process.kill(worker, 'SIGSTOP');
  const hits = await fire(node!.url, callOf(tenant), seconds);
  const alone = await ratePerSecond(CALLS, () => fetch(node!.url + tenant.triggerPath, callOf(tenant)));
  process.kill(worker, 'SIGCONT');
  if (hits.refused + hits.broken > 0) throw new Error(`${hits.refused} NOT 2xx, ${hits.broken} BROKEN`);
  const at = `/organizations/${tenant.orgId}`;
  const drain = await drainRate(side);
  const keys: string[] = [];
  for (let n = 0; n < REVOKES; n += 1) keys.push((await region.key(tenant.orgId)).id);
  return {
    'accept, 64 at once': hits.perSecond,
    'accept, one at a time': alone,
    drain,
    revoke: await ratePerSecond(REVOKES, () => region.revoke(0, tenant.orgId, keys.pop()!)),
    'list 50 conversations': await ratePerSecond(PAGES, () =>
      region.dashboard(0, 'GET', `${at}/conversations?limit=50`),
    ),
    'list 50 end users': await ratePerSecond(PAGES, () => region.dashboard(0, 'GET', `${at}/end-users?limit=50`)),
  };
}

const callOf = ({ triggerPath, key }: Tenant): Shot => ({
  method: 'POST',
  path: triggerPath,
  headers: { Authorization: `Bearer ${key.value}` },
});

async function ratePerSecond(many: number, act: () => Promise<Response>): Promise<number> {
  const from = performance.now();
  for (let n = 0; n < many; n += 1) {
    const answer = await act();
    await answer.arrayBuffer();
    if (!answer.ok) throw new Error(`A measured call was answered ${answer.status}.`);
  }
  return (many * 1_000) / (performance.now() - from);
}

/** The number of turns a second, from the moment in which the stopped worker continues. */
async function drainRate({ region, tenant }: Side): Promise<number> {
  const queued = async (): Promise<number> => {
    const { rows } = await region.db.$client.query<{ n: number }>(
      'SELECT count(*)::int AS n FROM run WHERE org_id = $1 AND due_at IS NOT NULL',
      [tenant.orgId],
    );
    return rows[0]!.n;
  };
  const from = performance.now();
  const all = await queued();
  while ((await queued()) > 0) {
    if (performance.now() - from > DRAINED_WITHIN_MS) throw new Error('The queue was not drained in time.');
    await sleep(50);
  }
  return (all * 1_000) / (performance.now() - from);
}

/**
 * Each worker of Citus gets a small share of a core, so the two cores of a machine do not limit the sum of both
 * workers.
 */
async function growth(tree: string, plan: Plan): Promise<string[]> {
  const cluster = await startCitus(tree, { settings: DURABLE });
  const limits = [1, 2].map((n) => limitProcessor(`worker-${n}`, SHARE));
  try {
    if (limits.includes(null)) return ['two limited workers: skipped, because cgroups cannot be written here'];
    await using region = await startRegion(1, { databaseUrl: cluster.url });
    const [first, second] = await onTwoWorkers(region, cluster);
    for (const [n, limit] of (limits as ProcessorLimit[]).entries()) limit.add(cluster.nodes[n + 1]!.pids());
    const { url } = region.cluster.nodes[0]!;
    const both = async (tenants: readonly Tenant[]): Promise<number> => {
      const all = await Promise.all(tenants.map((tenant) => fireAll([url], callOf(tenant), plan.seconds)));
      return all.reduce((total, hits) => total + hits.perSecond, 0);
    };
    const pairs: [number, number][] = [];
    for (let round = 0; round <= plan.rounds; round += 1) {
      const one = await both(first);
      const two = await both([first[0]!, second]);
      // The first round creates the functions and plans.
      if (round > 0) pairs.push([two, one]);
    }
    return [comparisonText(`accept, two workers of ${SHARE} core against one`, pairs, 'one')];
  } finally {
    await cluster.stop();
    for (const limit of limits) limit?.remove();
  }
}

/** Creates two organizations on one worker, and one on the other worker. */
async function onTwoWorkers(region: Region, cluster: CitusCluster): Promise<[Tenant[], Tenant]> {
  const byNode = new Map<number, Tenant[]>();
  for (let n = 0; n < 4; n += 1) {
    const tenant = await region.tenant();
    const { rows } = await region.db.$client.query<{ port: number }>(
      `SELECT nodeport AS port FROM public.organization o
       JOIN citus_shards s ON s.table_name = format('%I.agent', o.cell)::regclass WHERE o.id = $1`,
      [tenant.orgId],
    );
    const { port } = rows[0]!;
    byNode.set(port, [...(byNode.get(port) ?? []), tenant]);
  }
  const [one = [], two = []] = cluster.nodes.slice(1).map(({ port }) => byNode.get(port));
  return [one, two[0]!];
}

function comparisonText(name: string, pairs: readonly (readonly [number, number])[], what = 'plain'): string {
  const ratios = pairs.map(([here, there]) => here / there);
  const [here, there] = [0, 1].map((at) => median(pairs.map((pair) => pair[at]!)).toFixed(1));
  const spread = `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`;
  return `${name.padEnd(40)} ${median(ratios).toFixed(2)} × ${what} (${spread})   ${here}/s against ${there}/s`;
}
