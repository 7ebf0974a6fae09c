import { newId } from '../../src/kernel/ids.ts';
import { startSystemPostgres, SYSTEM_POSTGRES } from '../../test/system-postgres.ts';
import { median, perSecond, type Plan } from '../compare.ts';
import { fire } from '../load.ts';
import { quantile, type Region, startRegion, type Tenant } from '../region.ts';

const KEYS = 5_000;
const PAGES = 100;
const REVOKES = 40;
const CALLS = 100;

/**
 * Compares the same program on two servers in turns: the embedded one with our settings, and the system package with
 * default settings over TCP. The tables of both servers are filled but not analyzed.
 */
export async function postgres(plan: Plan): Promise<string[]> {
  if (SYSTEM_POSTGRES === undefined) return ['skipped: this system has no PostgreSQL (apt-get install postgresql)'];
  await using server = await startSystemPostgres();
  await using ours = await startRegion(1);
  await using theirs = await startRegion(1, { databaseUrl: server.url });
  const both = [await measured(ours), await measured(theirs)] as const;
  const lines: string[] = [`embedded PostgreSQL against PostgreSQL ${server.major} of this system over TCP`];
  for (const [name, measure] of Object.entries(MEASURES)) {
    const times: [number[], number[]] = [[], []];
    for (let round = 0; round < plan.rounds; round += 1)
      for (const side of [0, 1] as const) times[side].push(...(await measure(both[side], plan)));
    const [here, there] = times.map((side) => [quantile(side, 0.5), quantile(side, 0.99)] as const);
    lines.push(
      `${name.padEnd(24)} ${timesOf(here!)} against ${timesOf(there!)}: ${(there![0] / here![0]).toFixed(2)} ×`,
    );
  }
  const rates: [number[], number[]] = [[], []];
  for (let round = 0; round < plan.rounds; round += 1)
    for (const side of [0, 1] as const) rates[side].push(await rateOf(both[side], plan));
  const [here, there] = rates.map(median);
  const comparison = `${perSecond({ perSecond: here! })} against ${perSecond({ perSecond: there! })}`;
  lines.push(`${'accepting, 64 at once'.padEnd(24)} ${comparison}: ${(there! / here!).toFixed(2)} ×`);
  return lines;
}

const timesOf = ([p50, p99]: readonly [number, number]): string => `p50 ${p50.toFixed(1)}, p99 ${p99.toFixed(1)} ms`;

type Side = { region: Region; tenant: Tenant; revocable: string[] };

async function measured(region: Region): Promise<Side> {
  const tenant = await region.tenant();
  const revocable: string[] = [];
  for (let n = 0; n < REVOKES; n += 1) revocable.push((await region.key(tenant.orgId)).id);
  await region.db.$client.query(
    `INSERT INTO api_key (org_id, id, label, prefix, scope, permissions)
     SELECT $1, id, 'Bench', 'parley_us_abcdef', 'organization', ARRAY['triggers'] FROM unnest($2::text[]) AS t (id)`,
    [tenant.orgId, Array.from({ length: KEYS }, () => newId('key'))],
  );
  return { region, tenant, revocable };
}

const MEASURES = {
  'a page of 5,000 keys': ({ region, tenant }: Side, { rounds }: Plan) =>
    timed(Math.ceil(PAGES / rounds), () => region.dashboard(0, 'GET', `/organizations/${tenant.orgId}/keys?limit=50`)),
  'revoke, one node': ({ region, tenant, revocable }: Side, { rounds }: Plan) =>
    timed(Math.floor(REVOKES / rounds), () => region.revoke(0, tenant.orgId, revocable.pop()!)),
  'one call at a time': ({ region, tenant }: Side, { rounds }: Plan) =>
    timed(Math.ceil(CALLS / rounds), () =>
      fetch(region.cluster.nodes[0]!.url + tenant.triggerPath, {
        method: 'POST',
        headers: { authorization: `Bearer ${tenant.key.value}` },
      }),
    ),
} satisfies Record<string, (side: Side, plan: Plan) => Promise<number[]>>;

async function timed(many: number, act: () => Promise<Response>): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < many; n += 1) {
    const from = performance.now();
    const answer = await act();
    await answer.arrayBuffer();
    times.push(performance.now() - from);
    if (!answer.ok) throw new Error(`A measured call was answered ${answer.status}.`);
  }
  return times;
}

async function rateOf({ region, tenant }: Side, { seconds }: Plan): Promise<number> {
  const headers = { Authorization: `Bearer ${tenant.key.value}` };
  const hits = await fire(region.cluster.nodes[0]!.url, { method: 'POST', path: tenant.triggerPath, headers }, seconds);
  if (hits.refused + hits.broken > 0) throw new Error(`${hits.refused} NOT 2xx, ${hits.broken} BROKEN`);
  return hits.perSecond;
}
