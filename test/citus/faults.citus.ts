import { appendFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { placeCell, rebalanceCells } from '../../src/store/cells/place-cells.ts';
import { moveOrganization } from '../../src/store/cells/move-organization.ts';
import type { Trial } from '../faults/trial.ts';
import { type CitusNode, inDatabase } from './cluster.ts';
import { type Fault, type Outcome, p99Of, type Round, runRound, type Scene, startScene } from './round.ts';

/**
 * Tests faults of a cluster. CITUS_ROUNDS sets how often each fault is repeated. CITUS_FAULTS selects only faults whose
 * names begin with one of its words. CITUS_REPORT names a file that gets one line of JSON for each round.
 */
const ROUNDS = Number(process.env.CITUS_ROUNDS ?? 1);
const ONLY = (process.env.CITUS_FAULTS ?? '').split(',');
const STOPPED_MS = 30_000;
/** Nine of ten rounds stop the worker for this shorter time. */
const STOPPED_SHORTER_MS = 8_000;
const AWAY_MS = 1_500;

let scene: Scene;
const outcomes: Outcome[] = [];
beforeAll(async () => {
  scene = await startScene(process.env.CITUS_TREE!);
  // The first calls create functions and plans, and each node loads code for its first request of a member.
  await runRound(scene, { name: 'warm-up', spares: all, run: warmUp }, 0);
}, 300_000);
afterAll(async () => {
  console.log(table(outcomes));
  await scene?.region.close();
  await scene?.cluster.stop();
});

const all = (): boolean => true;
const none = (): boolean => false;

async function revoked(trial: Trial): Promise<void> {
  for (const node of trial.region.api) {
    if (!node.isRunning()) continue;
    const { answer } = await trial.revoke(node);
    trial.expect(answer === 'revoked', `a revoke through ${node.name} was answered "${answer}"`);
  }
}

async function warmUp({ near }: Round): Promise<void> {
  await Promise.all([revoked(near), near.pause(1_000)]);
}

/** The revokes of `near` may fail while its worker is stopped. The checks repeat revokes that failed. */
async function whileAway({ near, far, worker }: Round, leave: (worker: CitusNode) => unknown): Promise<void> {
  await leave(worker);
  const own = near.revoke(near.node());
  await Promise.all([revoked(far), near.pause(AWAY_MS)]);
  void own;
}

const nodeOf = ({ port }: CitusNode): string => `127.0.0.1:${port}`;
const place = ({ cluster }: Scene, cell: string, node: CitusNode): Promise<void> =>
  inDatabase(cluster.url, (client) => placeCell(client, cell, nodeOf(node)));

const faults: Fault[] = [
  {
    name: 'worker killed',
    spares: all,
    async run(round) {
      await whileAway(round, (worker) => worker.kill());
      await round.worker.start();
    },
  },
  {
    name: 'worker stopped',
    spares: all,
    async run(round) {
      const ms = round.number % 10 === 1 ? STOPPED_MS : STOPPED_SHORTER_MS;
      const until = round.near.pause(ms);
      await whileAway(round, (worker) => worker.pause());
      await until;
      round.worker.resume();
    },
  },
  {
    name: 'coordinator killed',
    spares: none,
    async run({ cluster, near, far }) {
      await cluster.nodes[0]!.kill();
      await near.pause(AWAY_MS);
      await cluster.nodes[0]!.start();
      await near.pause(1_000);
      await revoked(far);
    },
  },
  {
    name: 'commit cut before coordinator',
    spares: none,
    async run({ region, near, far, number }) {
      for (let n = 0; n < 4; n++) {
        for (const { proxy } of region.api) {
          // The statements arrive, some of them commits, but the answers do not arrive.
          if (number % 2) proxy.set({ kind: 'black hole' }, { direction: 'down', only: 'parley api' });
          else proxy.set({ kind: 'cut at', text: 'COMMIT' }, { direction: 'up' });
        }
        await near.pause(300);
        for (const { proxy } of region.api) {
          if (number % 2) proxy.breakAll();
          proxy.heal();
        }
        await near.pause(500);
      }
      await revoked(far);
    },
  },
  {
    name: 'commit cut before worker',
    spares: all,
    async run({ worker, near, far, number }) {
      const proxy = worker.proxy!;
      const own: Promise<unknown>[] = [];
      for (const text of ['PREPARE TRANSACTION', 'COMMIT', 'COMMIT PREPARED', '']) {
        if (text === '' || number % 3 === 0) proxy.set({ kind: 'black hole' }, { direction: 'down' });
        else proxy.set({ kind: 'cut at', text }, { direction: 'up' });
        // A revoke writes to the worker and to the coordinator.
        own.push(near.revoke(near.node()));
        await near.pause(400);
        if (text === '' || number % 3 === 0) proxy.breakAll();
        proxy.heal();
        await near.pause(400);
      }
      await revoked(far);
      await Promise.all(own);
    },
  },
  {
    name: 'cell moved',
    spares: all,
    movesRows: true,
    async run(round) {
      await Promise.all([place(round, round.cell, round.spare), revoked(round.far)]);
    },
    // Without this step, all cells would soon be on one worker.
    async undo(round) {
      if ((await cellsOf(round, round.worker)).length === 0) await place(round, round.cell, round.worker);
    },
  },
  {
    name: 'organization moved',
    spares: all,
    movesRows: true,
    async run({ region, near, far }) {
      const [to] = await region.rows<{ cell: string }>('SELECT cell FROM organization WHERE id = $1', [
        far.tenant.orgId,
      ]);
      await Promise.all([moveOrganization(region.database.url, near.tenant.orgId, to!.cell), revoked(far)]);
    },
  },
  {
    name: 'node of Parley killed',
    spares: ({ node }, { region }) => node !== region.api[0]!.name,
    async run({ region, near, far }) {
      const victims = [region.api[0]!, region.workers[0]!];
      await Promise.all(victims.map((one) => one.end('SIGKILL')));
      await revoked(far);
      await near.pause(AWAY_MS);
      await Promise.all(victims.map((one) => one.start()));
    },
  },
  {
    name: 'revoke while a worker is away',
    spares: all,
    async run(round) {
      const { near, far, worker } = round;
      await worker.kill();
      const own = near.region.api.map((node) => near.revoke(node));
      for (let n = 0; n < 2; n++) await revoked(far);
      await worker.start();
      await Promise.all(own);
    },
  },
  {
    name: 'rebalance to a third worker',
    spares: all,
    movesRows: true,
    prepare: async ({ cluster }) => cluster.nodes[3] ?? cluster.addWorker(),
    async run(round) {
      const third = round.cluster.nodes[3]!;
      await setTarget(round, third, true);
      const before = await cellsOf(round, third);
      await Promise.all([inDatabase(round.cluster.url, rebalanceCells), revoked(round.far)]);
      round.near.expect(before.length === 0, 'the third worker had cells before the rebalance');
      round.near.expect((await cellsOf(round, third)).length > 0, 'no cell is on the third worker');
    },
    async undo(round) {
      // The rebalance is the last fault of a round, so no other fault follows the last round.
      if (round.number === ROUNDS) return;
      const third = round.cluster.nodes[3]!;
      await setTarget(round, third, false);
      const [first, second] = round.cluster.nodes.slice(1) as [CitusNode, CitusNode];
      const isFull = (await cellsOf(round, first)).length > (await cellsOf(round, second)).length;
      for (const cell of await cellsOf(round, third)) await place(round, cell, isFull ? second : first);
    },
  },
];

const setTarget = ({ cluster }: Scene, node: CitusNode, isTarget: boolean): Promise<unknown> =>
  inDatabase(cluster.url, (client) =>
    client.query(`SELECT citus_set_node_property('127.0.0.1', $1, 'shouldhaveshards', $2)`, [node.port, isTarget]),
  );

async function cellsOf({ region }: Scene, { port }: CitusNode): Promise<string[]> {
  const rows = await region.rows<{ cell: string }>(
    `SELECT c.name AS cell FROM cell c JOIN citus_shards s ON s.table_name = format('%I.run', c.name)::regclass
     WHERE s.nodeport = $1 ORDER BY c.name`,
    [port],
  );
  return rows.map(({ cell }) => cell);
}

const wanted = faults.filter(({ name }) => ONLY.some((start) => name.startsWith(start)));
describe.each(Array.from({ length: ROUNDS }, (_, n) => n + 1))('round %i', (number) => {
  test.each(wanted)('$name', async (fault) => {
    const outcome = await runRound(scene, fault, number);
    outcomes.push(outcome);
    const { times, ...facts } = outcome;
    const p99 = { before: p99Of(times.before), during: p99Of(times.during) };
    console.log(JSON.stringify({ number, ...facts, p99 }));
    if (process.env.CITUS_REPORT)
      appendFileSync(process.env.CITUS_REPORT, `${JSON.stringify({ number, ...facts, p99, times })}\n`);
    expect(outcome.findings).toEqual([]);
    expect(outcome.accepted).toBeGreaterThan(20);
  });
});

const sum = (some: readonly Outcome[], part: (one: Outcome) => number): number =>
  some.reduce((total, one) => total + part(one), 0);
const refusedOf = ({ others }: Outcome): number =>
  Object.entries(others).reduce((total, [name, count]) => (name === '202' ? total : total + count), 0);

/** Returns one line for each fault, for docs/scaling.md. */
function table(list: readonly Outcome[]): string {
  const lines = [...Map.groupBy(list, ({ fault }) => fault)].map(([fault, some]) => {
    const counts = [
      sum(some, (one) => one.accepted),
      sum(some, (one) => one.lost),
      sum(some, (one) => one.doubled),
      sum(some, refusedOf),
    ];
    // One round has too few calls for a p99, so the calls of all rounds count together.
    const [before, during] = (['before', 'during'] as const).map((when) => some.flatMap(({ times }) => times[when]));
    const p99 = `${p99Of(before!)} → ${p99Of(during!)} ms | ${before!.length} → ${during!.length}`;
    return `| ${fault} | ${some.length} | ${counts.join(' | ')} | ${p99} |`;
  });
  const head =
    '| Fault | Rounds | Accepted | Lost | Doubled | Others: not 202 | Others: p99 | Others: calls |\n|---|---|---|---|---|---|---|---|';
  return [head, ...lines].join('\n');
}
