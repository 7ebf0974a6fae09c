import { check } from './check.ts';
import { call, isAccepted, type Ledger, type Revoke } from './ledger.ts';
import { type Load, startLoad } from './load.ts';
import type { Node } from './node.ts';
import type { Random } from './random.ts';
import type { Region, Tenant } from './region.ts';
import { elapsedSince } from './stalls.ts';

/** A trial has the tools of a scenario while load runs against every node. */
export type Trial = {
  region: Region;
  tenant: Tenant;
  ledger: Ledger;
  random: Random;
  /** Revokes a key through this node and immediately tries it on every node. */
  revoke(node: Node, key?: number): Promise<Revoke>;
  /** Returns one of the other nodes. */
  node(...except: Node[]): Node;
  expect(holds: boolean, otherwise: string): void;
  pause(ms: number): Promise<void>;
  /** The trial runs this function at its end, before the checks. */
  after(work: () => Promise<void> | void): void;
  /** Returns the nodes that callers use, which are all nodes unless a scenario limits them. */
  callable: () => readonly Node[];
};

export type Scenario = {
  name: string;
  /** The scenario declares the required result before the fault. The general guarantees (check.ts) apply too. */
  expects: string;
  run(trial: Trial): Promise<void>;
  /** The number of callers of each node, where 0 means no callers. */
  callers?: number;
  keys?: number;
};

/** The time is the sum of a lease, its margin, and the extra time of a busy test machine. */
export const REVOKED_WITHIN_MS = 1_100 + 2_400;
/** The guarantee for the time after a fault of the database. Killed nodes must also start within this time. */
export const BACK_WITHIN_MS = 10_000;
const WARM_UP_MS = 400;
/** The maximum wait for calls that a dead network still delays at the end of the trial. */
const REVOKING_WITHIN_MS = 12_000;

export async function runTrial(region: Region, scenario: Scenario, random: Random): Promise<string[]> {
  const tenant = await region.tenant(scenario.keys);
  const ledger: Ledger = { calls: [], revokes: [] };
  const found: string[] = [];
  const probes: Promise<unknown>[] = [];
  const endings: (() => Promise<void> | void)[] = [];
  const trial: Trial = {
    region,
    tenant,
    ledger,
    random,
    revoke: (node, key = unrevoked(trial)) => revoke(trial, node, key, probes),
    node: (...except) => random.pick(region.api.filter((one) => !except.includes(one))),
    expect: (holds, otherwise) => void (holds || found.push(otherwise)),
    pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    after: (work) => void endings.push(work),
    callable: () => region.api,
  };
  const { callers } = scenario;
  const load: Load | null =
    callers === 0
      ? null
      : startLoad({ ledger, tenant, nodes: () => trial.callable(), random: random.branch('load'), callers });
  try {
    if (load) await trial.pause(WARM_UP_MS);
    await scenario.run(trial);
    const fallen = await region.repair();
    trial.expect(fallen.length === 0, `ended by itself: ${fallen.join(', ')}`);
    if (load) await recovered(trial);
  } finally {
    await load?.stop();
    await region.repair();
  }
  await Promise.all(probes);
  await revokesEnd(trial);
  for (const work of endings) await work();
  await tryEveryKey(trial);
  return [...found, ...(await check(region, tenant, ledger))];
}

function unrevoked({ tenant, ledger, random }: Trial): number {
  const left = tenant.keys.map((_, at) => at).filter((at) => !ledger.revokes.some(({ key }) => key === at));
  return random.pick(left);
}

async function revoke(trial: Trial, node: Node, key: number, probes: Promise<unknown>[]): Promise<Revoke> {
  const { region, tenant, ledger } = trial;
  const made: Revoke = { key, node: node.name, requestedAt: performance.now(), answeredAt: null, answer: '' };
  ledger.revokes.push(made);
  const answer = await region.dashboard(node, 'POST', keyPath(tenant, key, '/revoke'));
  made.answer = answer.body?.state ?? answer.body?.code ?? answer.error ?? String(answer.status);
  if (made.answer === 'revoked') {
    made.answeredAt = performance.now();
    // After the response "revoked", no node may accept the key in any state. The calls that check a revoke wait for the
    // database if necessary.
    for (const other of region.api) {
      if (!other.isRunning()) continue;
      probes.push(call(ledger, tenant, other, key, 'me'));
      probes.push(call(ledger, tenant, other, key, 'trigger', `${tenant.orgId}-probe-${key}-${other.name}`));
    }
  }
  return made;
}

const keyPath = ({ orgId, keys }: Tenant, key: number, more = ''): string =>
  `/organizations/${orgId}/keys/${keys[key]!.id}${more}`;

/** Checks that every node accepts calls again in time. */
async function recovered({ region, ledger, expect, pause }: Trial): Promise<void> {
  const from = performance.now();
  const waiting = () =>
    region.api.filter(
      ({ name }) =>
        !ledger.calls.some(
          (made) => made.node === name && made.kind === 'trigger' && isAccepted(made) && made.start > from,
        ),
    );
  while (waiting().length > 0 && elapsedSince(from).ms < BACK_WITHIN_MS) await pause(25);
  const names = waiting().map(({ name }) => name);
  expect(
    names.length === 0,
    `not back within ${BACK_WITHIN_MS} ms (waited ${elapsedSince(from).text}): ${names.join(', ')}`,
  );
}

/** Any remaining node must finish an interrupted revoke. */
async function revokesEnd({ region, tenant, ledger, expect, pause }: Trial): Promise<void> {
  const from = performance.now();
  for (const made of ledger.revokes) {
    for (;;) {
      const read = await region.dashboard(region.api[0]!, 'GET', keyPath(tenant, made.key));
      const state = read.body?.state;
      if (state === 'revoked') {
        made.answeredAt ??= performance.now();
        break;
      }
      if (state === 'active') break;
      if (elapsedSince(from).ms > REVOKING_WITHIN_MS) {
        expect(
          false,
          `key ${made.key} was still "${state ?? read.error ?? read.status}" after ${REVOKING_WITHIN_MS} ms`,
        );
        break;
      }
      await pause(50);
    }
  }
}

/**
 * Checks at every node that valid keys are accepted and revoked keys are refused. After a 503, the call is repeated as
 * Retry-After requires.
 */
async function tryEveryKey({ region, tenant, ledger, expect, pause }: Trial): Promise<void> {
  for (const node of region.api) {
    const ask = (key: number) => call(ledger, tenant, node, key, 'me');
    const askTwice = async (key: number) => {
      const first = await ask(key);
      if (first.status !== 503) return first;
      await pause(1_000);
      return ask(key);
    };
    const calls = await Promise.all(tenant.keys.map((_, key) => askTwice(key)));
    const unconfirmed = calls.filter(
      (made) => !isAccepted(made) && !ledger.revokes.some(({ key }) => key === made.key),
    );
    expect(
      unconfirmed.length === 0,
      `${node.name} keeps out ${unconfirmed.length} keys, the first with ${unconfirmed[0]?.status} ${unconfirmed[0]?.code}`,
    );
  }
}
