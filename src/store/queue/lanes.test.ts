import { sql } from 'drizzle-orm';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { givenAgent, givenConversation, givenMessage, givenOrganization } from '../../../test/factories.ts';
import { useDatabase } from '../../../test/use-database.ts';
import { newId } from '../../kernel/ids.ts';
import type { Db } from '../db.ts';
import { claimDeliveries } from '../deliveries/claim.ts';
import { countLanes, isMoreDue } from './lanes.ts';
import { claimRuns } from '../runs/claim.ts';

let db: Db;
let noisy: Tenant;
let quiet: Tenant;

type Tenant = { orgId: string; channelId: string; conversationId: string };

useDatabase((made) => (db = made));
beforeAll(async () => {
  noisy = await tenant();
  quiet = await tenant(noisy.orgId);
});
afterEach(() =>
  db.execute(sql`UPDATE run SET due_at = NULL`).then(() => db.execute(sql`UPDATE message SET due_at = NULL`)),
);

async function tenant(notInLaneOf?: string): Promise<Tenant> {
  const orgId = await givenOrganization(db, { notInLaneOf });
  const { channelId } = await givenAgent(db, orgId);
  return { orgId, channelId, conversationId: (await givenConversation(db, orgId, channelId)).id };
}

/** Runs that became due some seconds ago, in order. */
async function givenRuns({ orgId, conversationId }: Tenant, count: number, secondsAgo: number): Promise<void> {
  const ids = Array.from({ length: count }, () => newId('run'));
  await db.execute(sql`INSERT INTO run (org_id, id, conversation_id, status, input, due_at)
    SELECT ${orgId}, id, ${conversationId}, 'queued', '{}', now() - make_interval(secs => ${secondsAgo}) + n * interval '1 microsecond'
    FROM unnest(${sql.param(ids)}::text[]) WITH ORDINALITY AS t(id, n)`);
}

const countOf = (claimed: readonly { org_id: string }[], { orgId }: Tenant): number =>
  claimed.filter((one) => one.org_id === orgId).length;

describe('runs', () => {
  test("runs of a tenant are claimed immediately, however long another tenant's backlog is", async () => {
    await givenRuns(noisy, 3_000, 60);
    await givenRuns(quiet, 5, 1);
    const claimed = await claimRuns(db.$client, 'worker', 200);
    expect(countOf(claimed, quiet)).toBe(5);
    // Half of the claim is a lane's share of two; the rest of the quiet tenant's share is used by the next claim.
    expect(countOf(claimed, noisy)).toBe(100);
    expect(isMoreDue(claimed, 200)).toBe(true);
  });

  test('runs of a single tenant may fill a whole claim, oldest first', async () => {
    await givenRuns(noisy, 300, 60);
    await givenRuns(noisy, 300, 90);
    const claimed = await claimRuns(db.$client, 'worker', 200);
    expect(claimed).toHaveLength(200);
    const older = await db.execute<{ n: number }>(sql`SELECT count(*)::int AS n FROM run
      WHERE due_at < now() - interval '80 seconds' AND due_at IS NOT NULL`);
    expect(older.rows[0]!.n).toBe(100);
  });

  test('many workers claim runs at once, and each run only once', async () => {
    await givenRuns(noisy, 1_500, 60);
    await givenRuns(quiet, 50, 1);
    const workers = Array.from({ length: 6 }, async (_, n) => {
      const mine: string[] = [];
      for (;;) {
        const claimed = await claimRuns(db.$client, `worker-${n}`, 100);
        mine.push(...claimed.map(({ run_id }) => run_id));
        if (!isMoreDue(claimed, 100)) return mine;
      }
    });
    const all = (await Promise.all(workers)).flat();
    expect(new Set(all).size).toBe(all.length);
    expect(all).toHaveLength(1_550);
  });

  test('a run can be claimed at the exact moment when it is due, at any fraction of a millisecond', async () => {
    await givenRuns(noisy, 1, 1);
    const client = await db.$client.connect();
    try {
      for (let times = 0; times < 20; times++) {
        // Within a transaction the time does not advance.
        await client.query('BEGIN; UPDATE run SET due_at = now() WHERE due_at IS NOT NULL');
        const claimed = await claimRuns(client as never, 'worker', 1);
        await client.query('ROLLBACK');
        expect(claimed).toHaveLength(1);
      }
    } finally {
      client.release();
    }
  });

  test('a tenant whose turns hang leaves room for other tenants', async () => {
    await givenRuns(noisy, 50, 60);
    const first = await claimRuns(db.$client, 'worker', 20, new Map(), 30);
    const second = await claimRuns(db.$client, 'worker', 20, countLanes(first), 30);
    expect(second).toHaveLength(10);
    // It got the maximum of this lane, less than it asked for: if one had ended in the meantime, it would get that,
    // too.
    expect(isMoreDue(second, 20)).toBe(true);
    const claimedByLane = countLanes([...first, ...second]);
    expect([...claimedByLane.values()]).toEqual([30]);
    await givenRuns(quiet, 1, 1);
    const third = await claimRuns(db.$client, 'worker', 20, claimedByLane, 30);
    expect([countOf(third, noisy), countOf(third, quiet)]).toEqual([0, 1]);
  });
});

test('a worker at its capacity does not claim again before work ends', () => {
  expect(isMoreDue([], 0)).toBe(false);
});

test("messages of a tenant are claimed immediately, however long another tenant's backlog is", async () => {
  const say = async ({ orgId, channelId }: Tenant, at: Date) => {
    const { id } = await givenConversation(db, orgId, channelId);
    await givenMessage(db, orgId, id, { content: { type: 'text', text: 'Hi' }, status: 'queued', dueAt: at });
  };
  await Promise.all(Array.from({ length: 60 }, () => say(noisy, new Date(Date.now() - 60_000))));
  await say(quiet, new Date());
  const claimed = await claimDeliveries(db.$client, 'worker', 20);
  expect([countOf(claimed, noisy), countOf(claimed, quiet)]).toEqual([10, 1]);
  expect(isMoreDue(claimed, 20)).toBe(true);
});

test('a claim does not read a backlog to find its tenants', async () => {
  await givenRuns(noisy, 3_000, 60);
  await givenRuns(quiet, 5, 1);
  const client = await db.$client.connect();
  // What this connection has read of the table, before its statistics are flushed.
  const read = async () => {
    const { rows } = await client.query<{ n: string }>(
      `SELECT pg_stat_get_xact_tuples_fetched('run'::regclass) + pg_stat_get_xact_tuples_returned('run'::regclass) AS n`,
    );
    return Number(rows[0]!.n);
  };
  try {
    await client.query('BEGIN');
    const before = await read();
    await claimRuns(client as never, 'worker', 10);
    expect((await read()) - before).toBeLessThan(200);
    await client.query('ROLLBACK');
  } finally {
    client.release();
  }
});
