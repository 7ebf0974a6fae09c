import { sql } from 'drizzle-orm';
import { MAX_BLOCK } from '../../../src/access/limits/call-blocks.ts';
import { createDigest, digestBytes } from '../../../src/access/api-keys/digest.ts';
import { mintKey } from '../../../src/access/api-keys/key-format.ts';
import { givenKey } from '../../factories.ts';
import { request } from '../http-client.ts';
import type { Node } from '../node.ts';
import type { Scenario, Trial } from '../trial.ts';

/**
 * Tests the total of a key (docs/adr/0108) with calls at all nodes, and with nodes that die or lose the database while
 * they have blocks.
 */
export const totalScenarios: Scenario[] = [
  {
    name: 'total-exact',
    expects: 'all nodes together accept exactly the total of a key',
    callers: 0,
    async run(trial) {
      const use = await startUse(trial, 700);
      await use.end();
      const { accepted, unknown } = use.counts();
      trial.expect(unknown === 0, `${unknown} calls without a fault had no answer`);
      trial.expect(accepted >= use.total, `only ${accepted} of ${use.total} calls were accepted`);
    },
  },
  {
    name: 'total-killed',
    expects: 'nodes killed with blocks in hand never exceed the total, and each kill loses at most a block',
    callers: 0,
    async run(trial) {
      const use = await startUse(trial, 15_000);
      const [first, second] = trial.random.shuffle(trial.region.api);
      const kills = [first!, second!, first!];
      for (const victim of kills) {
        await use.reaches(trial.random.between(1_500, 2_500));
        await victim.end('SIGKILL');
        await victim.start();
      }
      await use.end();
      use.lostAtMost(kills.length * MAX_BLOCK);
    },
  },
  {
    name: 'total-stopped',
    expects: 'nodes that are stopped with blocks in hand lose no call of the total',
    callers: 0,
    async run(trial) {
      const use = await startUse(trial, 10_000);
      for (const victim of trial.random.shuffle(trial.region.api)) {
        await use.reaches(trial.random.between(1_000, 2_000));
        await victim.end('SIGTERM');
        await victim.start();
      }
      await use.end();
      use.lostAtMost(0);
    },
  },
  {
    name: 'total-cut',
    expects: 'a node that loses the database in the middle of its reservations never exceeds the total',
    callers: 0,
    async run(trial) {
      const use = await startUse(trial, 12_000);
      const faults = trial.random.shuffle(['reset', 'black hole', 'pause', 'reset'] as const);
      for (const fault of faults) {
        const victim = trial.node();
        await use.reaches(trial.random.between(500, 1_500));
        if (fault === 'pause') victim.pause();
        else victim.proxy.set({ kind: fault }, { direction: 'down' });
        await trial.pause(trial.random.between(300, 1_800));
        victim.resume();
        victim.proxy.heal();
      }
      // From this point on, every call needs a reservation. The nodes keep valid leases, and only the reservations
      // fail.
      await use.end(() => breakReservations(trial, 3_000));
      // Each fault loses at most the answers to one reservation and one return.
      use.lostAtMost(faults.length * 2 * MAX_BLOCK);
    },
  },
];

/** Holds the rows that reservations lock, and ends the connections of waiting reservations. */
async function breakReservations({ region, pause }: Trial, forMs: number): Promise<void> {
  const until = performance.now() + forMs;
  await region.withDb((db) =>
    db.transaction(async (tx) => {
      await tx.execute(sql`SELECT FROM api_key_use FOR UPDATE`);
      while (performance.now() < until) {
        // Without this call, a transaction reads pg_stat_activity only once.
        await tx.execute(sql`SELECT pg_stat_clear_snapshot()`);
        await tx.execute(sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE wait_event_type = 'Lock' AND query LIKE '%api_key_use%'`);
        await pause(50);
      }
    }),
  );
}

type Use = {
  total: number;
  counts(): { accepted: number; unknown: number };
  /** The promise of `reaches` resolves when this many more calls were accepted, or when the total is used up. */
  reaches(more: number): Promise<void>;
  /**
   * Waits until every node has refused for longer than unused calls need to come back, and then checks the total. The
   * function `fault` runs while all calls of the total are reserved.
   */
  end(fault?: () => Promise<void>): Promise<void>;
  lostAtMost(many: number): void;
};

const CALLERS = 4;
/** Nodes return unused blocks one to two seconds after their last use. */
const REFUSED_FOR_MS = 4_000;

/** Uses a key with a total at all nodes until the total is used up. */
async function startUse({ region, tenant, expect, pause }: Trial, total: number): Promise<Use> {
  const value = mintKey('us');
  const digest = createDigest(region.secrets.apiKeyPepper);
  const keyId = await region.withDb((db) => givenKey(db, tenant.orgId, { digest: digestBytes(digest(value)), total }));
  const headers = { authorization: `Bearer ${value}` };
  const counts = { accepted: 0, unknown: 0 };
  const refusedSince = new Map<string, number>();
  let isOver = false;
  const odd: string[] = [];

  const callOnce = async (node: Node): Promise<void> => {
    const { status, body } = await request(`${node.url}/api/me`, { headers, timeoutMs: 5_000 });
    const isUsedUp = status === 403 && body?.code === 'key_used_up';
    if (isUsedUp) refusedSince.set(node.name, refusedSince.get(node.name) ?? performance.now());
    else refusedSince.delete(node.name);
    if (status === 200) counts.accepted++;
    else if (status === null || body?.code === 'outcome_unknown') counts.unknown++;
    else if (!isUsedUp && status !== 503 && status !== 0) odd.push(`${status} ${body?.code}`);
    if (status !== 200) await pause(20);
  };
  const calling = region.api.flatMap((node) =>
    Array.from({ length: CALLERS }, async () => {
      while (!isOver) await callOnce(node);
    }),
  );
  const isUsedUp = (): boolean =>
    region.api.every(({ name }) => performance.now() - (refusedSince.get(name) ?? Infinity) > REFUSED_FOR_MS);

  return {
    total,
    counts: () => counts,
    reaches: async (more) => {
      const wanted = Math.min(counts.accepted + more, total - MAX_BLOCK);
      while (counts.accepted < wanted && !isUsedUp()) await pause(5);
    },
    end: async (fault) => {
      while (!isUsedUp()) await pause(50);
      const { accepted } = counts;
      await fault?.();
      isOver = true;
      await Promise.all(calling);
      const late = counts.accepted - accepted;
      expect(late === 0, `${late} calls were accepted after all calls of the total were reserved`);
      expect(counts.accepted <= total, `${counts.accepted} calls were accepted where ${total} are allowed in total`);
      expect(odd.length === 0, `${odd.length} calls were answered otherwise, the first with ${odd[0]}`);
      const [row] = await region.rows<{ reserved: number }>('SELECT reserved FROM api_key_use WHERE key_id = $1', [
        keyId,
      ]);
      expect(row!.reserved === total, `${row!.reserved} of ${total} calls are reserved although nodes refuse`);
    },
    lostAtMost: (many) => {
      const lost = total - counts.accepted - counts.unknown;
      expect(lost <= many, `${lost} calls were lost where ${many} may be`);
    },
  };
}
