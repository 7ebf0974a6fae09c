import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../app.ts';
import { givenAgent, givenTrigger } from '../factories.ts';
import { insertOrganization } from '../../src/store/organizations/organizations.ts';
import { listCells } from '../../src/store/cells/list-cells.ts';
import { type CitusCluster, type CitusNode, startCitus } from './cluster.ts';

/** Faults of a cluster under load. CITUS_FAULTS: how often each is repeated. */
const TIMES = Number(process.env.CITUS_FAULTS ?? 1);
const CALLERS = 3;
type Tenant = { orgId: string; cell: string; agentId: string; triggerId: string; key: string; keyId: string };
type Load = { accepted: Set<string>; ids: Set<string>; others: Map<number, number>; slowestMs: number };
let cluster: CitusCluster;
let parley: TestApp;
let client: pg.Client;
const tenants: Tenant[] = [];

beforeAll(async () => {
  cluster = await startCitus(process.env.CITUS_TREE!);
  const much = '{"key":10000000,"organization":10000000}';
  parley = await startTestApp({ PARLEY_LIMITS: `{"triggers":${much}}` }, { database: { url: cluster.url } as never });
  for (const name of ['One', 'Two']) {
    const { id: orgId } = await insertOrganization(parley.db, { name, plan: 'paid' });
    const { agentId } = await givenAgent(parley.db, orgId);
    const triggerId = await givenTrigger(parley.db, orgId, agentId);
    const { value: key, id: keyId } = await parley.key(orgId);
    const cell = (await listCells(parley.db)).find(({ organizations }) => organizations.includes(orgId))!.cell;
    tenants.push({ orgId, cell, agentId, triggerId, key, keyId });
  }
  await connect();
  for (const tenant of tenants) await call(tenant, 'warm');
}, 300_000);
afterAll(async () => {
  await parley?.stop();
  await client?.end();
  await cluster?.stop();
});

async function connect(): Promise<void> {
  client = new pg.Client({ connectionString: cluster.url });
  client.on('error', () => {});
  await client.connect();
}

const call = (tenant: Tenant, id: string) =>
  parley.call('POST', `/api/triggers/${tenant.agentId}/${tenant.triggerId}`, {
    key: tenant.key,
    body: { conversation: { key: id } },
    headers: { 'idempotency-key': id },
  });

/** Each call has an Idempotency-Key and is repeated until it is accepted, as a careful caller does. */
async function underLoad(tag: string, fault: () => Promise<void>): Promise<Load[]> {
  let isOn = true;
  const loads = tenants.map((): Load => ({ accepted: new Set(), ids: new Set(), others: new Map(), slowestMs: 0 }));
  const work = Promise.all(
    tenants.flatMap((tenant, which) =>
      Array.from({ length: CALLERS }, async (_, caller) => {
        const load = loads[which]!;
        for (let n = 0; isOn; n++) {
          const id = `${tag}-${which}-${caller}-${n}`;
          load.ids.add(id);
          for (;;) {
            const began = performance.now();
            const { status, body } = await call(tenant, id).catch(() => ({ status: 0, body: null }));
            load.slowestMs = Math.max(load.slowestMs, performance.now() - began);
            if (status === 202) {
              load.accepted.add(body.id);
              break;
            }
            load.others.set(status, (load.others.get(status) ?? 0) + 1);
            await pause(100);
          }
        }
      }),
    ),
  );
  await pause(1_000);
  await fault();
  await pause(2_000);
  isOn = false;
  await work;
  return loads;
}

/** Nothing accepted is lost, and nothing was done twice. */
async function expectExactlyOnce(tag: string, loads: Load[]): Promise<void> {
  await client.end().catch(() => {});
  await connect();
  for (const [which, { accepted, ids }] of loads.entries()) {
    const { cell, triggerId } = tenants[which]!;
    const { rows } = await client.query<{ id: string; key: string }>(
      `SELECT r.id, c.key FROM ${cell}.run r JOIN ${cell}.conversation c ON c.org_id = r.org_id AND c.id = r.conversation_id
       WHERE r.trigger_id = $1 AND c.key LIKE $2`,
      [triggerId, `${tag}-%`],
    );
    expect(new Set(rows.map(({ id }) => id))).toEqual(accepted);
    expect(rows.map(({ key }) => key).toSorted()).toEqual([...ids].toSorted());
  }
}

const nodeOf = async ({ cell }: Tenant): Promise<CitusNode> => {
  const { node } = (await listCells(parley.db)).find((one) => one.cell === cell)!;
  return cluster.nodes.find(({ port }) => node.endsWith(`:${port}`))!;
};
const report = (what: string, loads: Load[]): void =>
  console.log(
    what,
    ...loads.map(
      ({ accepted, others, slowestMs }) =>
        `${accepted.size} accepted, others ${JSON.stringify([...others])}, slowest ${Math.round(slowestMs)} ms;`,
    ),
  );

test.each(Array.from({ length: TIMES }, (_, n) => n))('a worker is killed under load (%i)', async (n) => {
  const worker = await nodeOf(tenants[0]!);
  const loads = await underLoad(`killed${n}`, async () => {
    await worker.kill();
    await pause(2_000);
    await worker.start();
  });
  report('worker killed:', loads);
  await expectExactlyOnce(`killed${n}`, loads);
  expect([...loads[1]!.others.keys()]).toEqual([]);
});

test.each(Array.from({ length: TIMES }, (_, n) => n))('a worker hangs for 30 s under load (%i)', async (n) => {
  const worker = await nodeOf(tenants[0]!);
  const loads = await underLoad(`hung${n}`, async () => {
    worker.pause();
    await pause(30_000);
    worker.resume();
  });
  report('worker hangs:', loads);
  await expectExactlyOnce(`hung${n}`, loads);
  expect(loads[1]!.accepted.size).toBeGreaterThan(0);
});

test.each(Array.from({ length: TIMES }, (_, n) => n))('the coordinator is killed under load (%i)', async (n) => {
  const loads = await underLoad(`coordinator${n}`, async () => {
    await cluster.nodes[0]!.kill();
    await pause(1_000);
    await cluster.nodes[0]!.start();
    await pause(5_000);
  });
  report('coordinator killed:', loads);
  await expectExactlyOnce(`coordinator${n}`, loads);
  expect(loads.every(({ accepted }) => accepted.size > 0)).toBe(true);
});

test('while a worker is away, a revoke of a key on the other worker is strict', async () => {
  const [first, second] = tenants as [Tenant, Tenant];
  const { value, id } = await parley.key(second.orgId);
  const other = { ...second, key: value };
  expect((await call(other, 'before-revoke')).status).toBe(202);
  const worker = await nodeOf(first);
  await worker.kill();
  await client.query(`UPDATE ${second.cell}.api_key SET revoke_at = now() WHERE id = $1`, [id]);
  await expect
    .poll(
      async () =>
        (await client.query(`SELECT FROM ${second.cell}.api_key WHERE id = $1 AND effective_at IS NOT NULL`, [id]))
          .rowCount,
    )
    .toBe(1);
  expect((await call(other, 'after-revoke')).status).toBe(401);
  await worker.start();
});
