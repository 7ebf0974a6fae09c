import { pathOf } from '../../src/store/cells/route-connection.ts';
import { type FaultDatabase, withClient } from '../faults/database.ts';
import { type Call, isAccepted, type Ledger } from '../faults/ledger.ts';
import { createRandom } from '../faults/random.ts';
import { type Region, startRegion, type Tenant } from '../faults/region.ts';
import { runTrial, type Scenario, type Trial } from '../faults/trial.ts';
import { IMPATIENT } from '../faults/bugs.ts';
import { type CitusCluster, type CitusNode, startCitus } from './cluster.ts';

/**
 * Injects a fault into a cluster under load. The load calls two organizations on different workers through two nodes of
 * Parley. Each of the two organizations has a trial of the fault suite with all its checks (docs/testing-faults.md).
 * The fault affects the organization `near`.
 */
export type Scene = { cluster: CitusCluster; region: Region };
export type Round = Scene & {
  near: Trial;
  far: Trial;
  worker: CitusNode;
  spare: CitusNode;
  cell: string;
  number: number;
};
export type Fault = {
  name: string;
  /** Decides which calls of `far` the fault does not affect. */
  spares: (call: Call, scene: Scene) => boolean;
  /** This function runs before the load. */
  prepare?(scene: Scene): Promise<unknown>;
  run(round: Round): Promise<void>;
  /** This function runs after the checks. */
  undo?(round: Round): Promise<void>;
  /**
   * True if the fault moves an organization, because a move writes rows again, so their commit time is not that of the
   * call.
   */
  movesRows?: boolean;
};
export type Outcome = {
  fault: string;
  accepted: number;
  lost: number;
  doubled: number;
  /** The statuses of the spared calls of `far` during the fault. */
  others: Record<string, number>;
  /** The times of the spared calls of `far`, in milliseconds. */
  times: { before: number[]; during: number[] };
  seconds: number;
  findings: string[];
};

const CALLERS = 2;
const KEYS = 12;
const CALM_MS = 2_500;
const CELLS = 4;

const unused = (): never => {
  throw new Error('Faults of a cluster restart its nodes.');
};

export async function startScene(tree: string): Promise<Scene> {
  const cluster = await startCitus(tree, { cells: CELLS, isProxied: true });
  const [{ socketPath, url }] = cluster.nodes as [CitusNode];
  const database: FaultDatabase = {
    socketPath,
    url,
    restart: unused,
    addStandby: unused,
    failOver: unused,
    stop: () => {},
  };
  const region = await startRegion({ api: 2, workers: 1, plan: { edits: IMPATIENT }, database });
  return { cluster, region };
}

export async function runRound(scene: Scene, fault: Fault, number: number): Promise<Outcome> {
  const { region } = scene;
  await fault.prepare?.(scene);
  const [near, far] = await onTwoNodes(scene);
  const begun = performance.now();
  const trials = { near: Promise.withResolvers<Trial>(), far: Promise.withResolvers<Trial>() };
  const over = Promise.withResolvers<void>();
  const at = { from: Infinity, to: Infinity };
  let round: Round | undefined;
  const scenario = (run: Scenario['run']): Scenario => ({
    name: fault.name,
    expects: '',
    callers: CALLERS,
    keys: KEYS,
    run,
  });
  const run = async (trial: Trial): Promise<void> => {
    trials.near.resolve(trial);
    const other = await trials.far.promise;
    // The load also revokes keys during the faults.
    await Promise.all([other.revoke(other.node()), trial.pause(CALM_MS)]);
    const places = { worker: near.node, spare: far.node, cell: near.cell };
    round = { ...scene, near: trial, far: other, ...places, number };
    at.from = performance.now();
    try {
      await fault.run(round);
    } finally {
      at.to = performance.now();
      over.resolve();
    }
  };
  const wait = async (trial: Trial): Promise<void> => {
    trials.far.resolve(trial);
    await over.promise;
  };
  const seed = createRandom(`${fault.name}/${number}`);
  const found = await Promise.all([
    runTrial(regionOf(region, near.tenant), scenario(run), seed.branch('near')),
    runTrial(regionOf(region, far.tenant), scenario(wait), seed.branch('far')),
  ]);
  if (round) await fault.undo?.(round);
  const ledgers = [(await trials.near.promise).ledger, (await trials.far.promise).ledger] as const;
  const findings = found.flat().filter((text) => !fault.movesRows || !text.startsWith('written past the fence'));
  const spared = ledgers[1].calls.filter((call) => call.kind === 'trigger' && fault.spares(call, scene));
  return {
    fault: fault.name,
    accepted: ledgers.reduce((total, { calls }) => total + triggersOf(calls).filter(isAccepted).length, 0),
    lost: countOf(findings, /^acknowledged and lost/),
    doubled: countOf(findings, /^(?:several runs|[2-9]\d* answers|refused but done)/),
    others: statusesOf(spared.filter(({ start, end }) => end > at.from && start < at.to)),
    times: {
      before: timesOf(spared.filter(({ start }) => start < at.from && start > at.from - CALM_MS)),
      during: timesOf(spared.filter(({ end, start }) => end > at.from && start < at.to)),
    },
    seconds: (performance.now() - begun) / 1_000,
    findings,
  };
}

type Place = { tenant: Tenant; cell: string; node: CitusNode };

/**
 * Parley creates an organization in the cell with the fewest organizations, so one of the next organizations is on
 * another worker.
 */
async function onTwoNodes(scene: Scene): Promise<[Place, Place]> {
  const near = await placed(scene);
  for (let tries = 0; tries < 2 * CELLS; tries++) {
    const far = await placed(scene);
    if (far.node !== near.node) return [near, far];
  }
  throw new Error('All cells are on one node.');
}

async function placed({ region, cluster }: Scene): Promise<Place> {
  const tenant = await region.tenant(KEYS);
  const [home] = await region.rows<{ cell: string; port: number }>(
    `SELECT o.cell, s.nodeport AS port FROM organization o
     JOIN citus_shards s ON s.table_name = format('%I.run', o.cell)::regclass WHERE o.id = $1`,
    [tenant.orgId],
  );
  return { tenant, cell: home!.cell, node: cluster.nodes.find(({ port }) => port === home!.port)! };
}

/** Creates a trial of this tenant. The trial's checks read the cell of the tenant. */
const regionOf = (region: Region, tenant: Tenant): Region => ({
  ...region,
  tenant: async () => tenant,
  rows: (text, values) =>
    withClient(region.database.url, async (client) => {
      const { rows } = await client.query<{ cell: string }>('SELECT cell FROM organization WHERE id = $1', [
        tenant.orgId,
      ]);
      await client.query(`SET search_path TO ${pathOf(rows[0]!.cell)}`);
      return (await client.query(text, values)).rows as never;
    }),
});

const triggersOf = (calls: Ledger['calls']): Call[] => calls.filter(({ kind }) => kind === 'trigger');

const timesOf = (calls: readonly Call[]): number[] => calls.map(({ start, end }) => Math.round(end - start));

export function p99Of(times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length * 0.99)] ?? 0;
}

/** The load contains two simultaneous calls with one Idempotency-Key, and calls with a revoked key. */
const OF_THE_LOAD = new Set(['idempotency_in_progress', 'key_revoked']);

function statusesOf(calls: readonly Call[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status, code, error } of calls) {
    if (code !== null && OF_THE_LOAD.has(code)) continue;
    const name = status === 202 ? '202' : `${status} ${code ?? error}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

/** A finding has the number of its repetitions in parentheses (test/faults/check.ts). */
const countOf = (findings: readonly string[], kind: RegExp): number =>
  findings
    .filter((text) => kind.test(text))
    .reduce((total, text) => total + Number(/\((\d+) times\)/.exec(text)?.[1] ?? 1), 0);
