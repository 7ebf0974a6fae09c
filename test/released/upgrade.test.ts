/** @module-tag long */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newestRelease, hashesOf } from '../../scripts/check-migrations.ts';
import { migrate } from '../../src/store/migrate.ts';
import { followReady } from '../faults/follow-ready.ts';
import type { Node } from '../faults/node.ts';
import { createRandom } from '../faults/random.ts';
import { type Region, startRegion, type Tenant } from '../faults/region.ts';
import { runTrial, type Scenario, type Trial } from '../faults/trial.ts';
import { isAccepted } from '../faults/ledger.ts';
import { releaseCommit, releasedSources } from './sources.ts';

/** The steps of docs/operations.md, "Upgrade", under load: see README.md in this folder. */
const SEED = process.env['TEST_SEED'] ?? String(Math.floor(Math.random() * 1e9));
const commit = releaseCommit();
const KEYS = 20;
/** Calls reach old and new processes for this long after each step. */
const MIXED_MS = 1_000;

if (commit === undefined) console.warn('The commit of the newest release is not here; the upgrade test is skipped.');

describe.skipIf(commit === undefined)('an upgrade from the newest release, process by process', () => {
  let region: Region;

  beforeAll(async () => {
    region = await startRegion({ api: 2, plan: { sources: releasedSources(commit!) } });
    region.tenant = (keys = 0) => tenantOf(region, keys);
  });
  afterAll(() => region?.close());

  const schemaSteps = async (): Promise<number> => {
    const [row] = await region.rows<{ n: number }>('SELECT count(*)::int AS n FROM drizzle.__drizzle_migrations');
    return row!.n;
  };

  test(
    'an upgrade loses nothing, answers nothing twice, and refuses each revoked key at once',
    { timeout: 600_000 },
    async () => {
      expect(await schemaSteps()).toBe(Object.keys(newestRelease().migrations).length);
      const seen = { calls: 0 };
      const found = await runTrial(region, upgrade(seen), createRandom(SEED));
      expect([`seed ${SEED}`, found]).toEqual([`seed ${SEED}`, []]);
      expect(await schemaSteps()).toBe(Object.keys(hashesOf()).length);
      expect(seen.calls).toBeGreaterThan(50);
    },
  );
});

/** The old program creates the tables, which may differ from those of this checkout. */
async function tenantOf(region: Region, keys: number): Promise<Tenant> {
  const post = async (at: string, body: object) => {
    const { status, text, body: made } = await region.dashboard(region.api[0]!, 'POST', at, body);
    if (status === null || status >= 300) throw new Error(`POST ${at} answers ${status}: ${text}`);
    return made;
  };
  const { id: orgId } = await post('/organizations', { name: 'Upgrade' });
  await region.rows(`UPDATE organization SET plan = 'paid' WHERE id = $1`, [orgId]);
  const at = `/organizations/${orgId}`;
  const { id: agentId } = await post(`${at}/agents`, { name: 'Concierge', definition: { opening: { default: 'Hello' } } }); // prettier-ignore
  const { id: triggerId } = await post(`${at}/triggers`, { agent_id: agentId, name: 'Order' });
  const made: Tenant['keys'] = [];
  for (let n = 0; n < keys; n++)
    made.push(await post(`${at}/keys`, { label: `Key ${n}`, scope: 'organization', permissions: ['triggers'] }));
  return { orgId, agentId, triggerId, keys: made };
}

const upgrade = (seen: { calls: number }): Scenario => ({
  name: 'upgrade',
  expects: 'each call is accepted, each run gets one answer, each revoke holds on old and new nodes',
  callers: 2,
  keys: KEYS,
  async run(trial) {
    const { region, ledger } = trial;
    const stopFollowing = followReady(trial);
    const from = performance.now();
    await migrate(region.database.url);
    await mixed(trial);
    for (const node of [...region.workers, ...region.api]) {
      trial.expect(await node.end('SIGTERM'), `${node.name} did not stop in order`);
      await node.start({});
      await mixed(trial);
    }
    await stopFollowing();
    const calls = ledger.calls.filter(({ start }) => start > from);
    seen.calls = calls.length;
    const failed = calls.filter((made) => !isAccepted(made) && !EXPECTED.has(made.code ?? ''));
    const [first] = failed;
    trial.expect(failed.length === 0, `${failed.length} calls failed, the first at ${first?.node}: ${first?.status} ${first?.code ?? first?.error}`); // prettier-ignore
  },
});

/** Refusals that the load itself causes. */
const EXPECTED = new Set(['idempotency_in_progress', 'key_revoked']);

/** Old and new processes work at the same time, and each node revokes a key. */
async function mixed(trial: Trial): Promise<void> {
  for (const node of trial.region.api) await revokes(trial, node);
  await trial.pause(MIXED_MS);
}

async function revokes(trial: Trial, node: Node): Promise<void> {
  const { answer } = await trial.revoke(node);
  trial.expect(answer === 'revoked', `a revoke through ${node.name} was answered "${answer}"`);
}
