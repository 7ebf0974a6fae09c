import { createClientTokens } from '../client-tokens/client-token.ts';
import type { Key } from '../../kernel/seal.ts';
import { eq } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { DEFAULT_RATE_LIMITS } from '../../../contract/limits.ts';
import type { Plan } from '../../../contract/permissions.ts';
import type { Refusal } from '../../../contract/problems.ts';
import { givenAgent, givenKey, givenOrganization } from '../../../test/factories.ts';
import { createTestDatabase, type TestDatabase } from '../../../test/postgres.ts';
import { systemClock } from '../../kernel/clock.ts';
import { createLogger } from '../../kernel/log.ts';
import { type Db, openDb } from '../../store/db.ts';
import { apiKey, apiKeyUse } from '../../store/schema/api-key.ts';
import { type Access, createAccess } from '../access.ts';
import { createDigest, digestBytes } from '../api-keys/digest.ts';
import { mintKey } from '../api-keys/key-format.ts';
import type { Admission, Caller, Need } from '../types.ts';
import { createCallBlocks, MAX_BLOCK } from './call-blocks.ts';

/** The total of a key over several nodes, without Redis. */
const pepper = Buffer.alloc(32, 5);
const digest = createDigest(pepper);
const ME: Need = {};
const AGENT: Need = { permission: 'triggers', agent: 'agent_id' };
const HERE = '203.0.113.7';
/** A lease that survives a machine that stops for a moment. */
const LONG_MS = 20_000;

let database: TestDatabase;
let db: Db;
const open: Access[] = [];
beforeAll(async () => {
  database = await createTestDatabase();
  db = openDb(database.url);
});
afterEach(async () => {
  for (const access of open.splice(0)) await access.stop();
});
afterAll(async () => {
  await db.$client.end();
  await database.drop();
});

async function node(leaseMs = LONG_MS): Promise<Access> {
  const access = createAccess({
    db,
    databaseUrl: database.url,
    region: 'us',
    baseUrls: { us: '', eu: '', in: '', qa: '' },
    pepper,
    clientTokens: createClientTokens(Buffer.alloc(32, 7) as Key, 'us'),
    limits: DEFAULT_RATE_LIMITS,
    clock: systemClock,
    log: createLogger({ level: 'silent', pretty: false }),
    leaseMs,
  });
  await access.start();
  open.push(access);
  return access;
}

async function givenTotal(total: number, allowedNetworks?: string[], plan: Plan = 'paid') {
  const orgId = await givenOrganization(db, { plan });
  const value = mintKey('us');
  const keyId = await givenKey(db, orgId, {
    digest: digestBytes(digest(value)),
    total,
    ...(allowedNetworks && { allowedNetworks }),
  });
  return { orgId, value, keyId };
}

const call = async (access: Access, value: string, need: Need = ME, params: Record<string, string> = {}, from = HERE) =>
  access.admit([`Bearer ${value}`], need, params, from, true);

const outcome = (attempt: Promise<Admission>): Promise<string> =>
  attempt.then(
    () => 'accepted',
    (refusal: Refusal) => refusal.code,
  );

const countOf = (outcomes: readonly string[]): Record<string, number> =>
  Object.fromEntries(
    [...new Set(outcomes)].toSorted().map((code) => [code, outcomes.filter((one) => one === code).length]),
  );

const reservedOf = async (keyId: string): Promise<number> =>
  (await db.select({ reserved: apiKeyUse.reserved }).from(apiKeyUse).where(eq(apiKeyUse.keyId, keyId)))[0]!.reserved;

/** Reservations, counted in the database's connections. */
function countReservations(): { many: number; stop(): void } {
  const { query } = db.$client;
  const counted = { many: 0, stop: () => Object.assign(db.$client, { query }) };
  Object.assign(db.$client, {
    query: (...args: unknown[]) => {
      if (JSON.stringify(args[0])?.includes('reserve-calls')) counted.many++;
      return (query as (...all: unknown[]) => unknown).apply(db.$client, args);
    },
  });
  return counted;
}

describe("a key's total", () => {
  test.each([1, 5, 97, 1_000])('three nodes together accept exactly the total of %i calls', async (total) => {
    const nodes = [await node(), await node(), await node()];
    const { value } = await givenTotal(total);
    const attempts = Array.from({ length: total + 200 }, (_, n) => n);
    const outcomes: string[] = [];
    // Each node has callers of its own, and all of them call at the same time.
    await Promise.all(
      Array.from({ length: 30 }, async (_, caller) => {
        for (let n = attempts.pop(); n !== undefined; n = attempts.pop())
          outcomes.push(await outcome(call(nodes[caller % 3]!, value)));
      }),
    );
    expect(countOf(outcomes)).toEqual({ accepted: total, key_used_up: 200 });
  });

  test('one query reserves a block of calls, and no further query is needed until the block is used up', async () => {
    const access = await node();
    const { value } = await givenTotal(100_000);
    const counted = countReservations();
    for (let n = 0; n < 2_000; n++) await call(access, value);
    counted.stop();
    // Blocks of 1, 2, 4, … and then of MAX_BLOCK calls.
    expect(counted.many).toBeLessThan(2_000 / MAX_BLOCK + 10);
    const last = access.admit([`Bearer ${value}`], ME, {}, HERE, true);
    expect(last).not.toBeInstanceOf(Promise);
    expect(await access.remaining((await last).caller)).toBe(97_999);
  });

  test('neither a call that a later check refuses nor a second check of a call uses the total', async () => {
    const access = await node();
    const { value, orgId } = await givenTotal(2);
    const { agentId } = await givenAgent(db, orgId);
    for (let n = 0; n < 5; n++)
      expect(await outcome(call(access, value, AGENT, { agent_id: 'agent_x' }))).toBe('agent_not_found');
    const first = await call(access, value, AGENT, { agent_id: agentId });
    for (let n = 0; n < 5; n++) await access.admit([`Bearer ${value}`], ME, {}, HERE);
    first.counted!.giveBack();
    expect(await outcome(call(access, value))).toBe('accepted');
    expect(await outcome(call(access, value))).toBe('accepted');
    expect(await outcome(call(access, value))).toBe('key_used_up');
    expect((await access.admit([`Bearer ${value}`], ME, {}, HERE)).caller.limits).toMatchObject({ total: 2 });
  });

  test('a used-up total is checked after the networks, and before plan, permission and agent', async () => {
    const access = await node();
    const { value, keyId } = await givenTotal(1, ['203.0.113.0/24'], 'free');
    expect(await outcome(call(access, value))).toBe('plan_required');
    await expect.poll(() => reservedOf(keyId), { timeout: 10_000 }).toBe(0);
    await db.update(apiKeyUse).set({ reserved: 1 }).where(eq(apiKeyUse.keyId, keyId));
    const wrong: Need = { permission: 'channels', agent: 'agent_id' };
    expect(await outcome(call(access, value, wrong, { agent_id: 'agent_x' }))).toBe('key_used_up');
    expect(await outcome(call(access, value, ME, {}, '192.0.2.1'))).toBe('network_not_allowed');
  });

  test('a call that waits for a reservation does not accept a key that was revoked during the wait', async () => {
    const access = await node(1_000);
    const { value, keyId } = await givenTotal(5);
    await call(access, value);
    // The reservation waits for this lock.
    const lock = await db.$client.connect();
    await lock.query('BEGIN');
    await lock.query('SELECT 1 FROM api_key_use WHERE key_id = $1 FOR UPDATE', [keyId]);
    const waiting = outcome(call(access, value));
    await access.change({ kind: 'key', id: keyId }, async (tx) => {
      await tx.update(apiKey).set({ revokedAt: new Date() }).where(eq(apiKey.id, keyId));
    });
    await lock.query('COMMIT');
    lock.release();
    // On a very busy machine the wait is over before the change.
    expect(['key_revoked', 'unavailable']).toContain(await waiting);
  });

  test('unused calls of a block return to the total when its node stops or no longer needs them', async () => {
    const [one, two] = [await node(), await node()];
    const { value, keyId } = await givenTotal(10_000);
    for (let n = 0; n < 64; n++) await call(one, value);
    expect(await reservedOf(keyId)).toBeGreaterThan(64);
    await expect.poll(() => reservedOf(keyId), { timeout: 10_000 }).toBe(64);
    for (let n = 0; n < 64; n++) await call(two, value);
    open.splice(open.indexOf(two), 1);
    await two.stop();
    expect(await reservedOf(keyId)).toBe(128);
  });

  test('a lowered total is enforced on every node when its response is sent, whatever the nodes had reserved', async () => {
    const nodes = [await node(1_000), await node(1_000), await node(1_000)];
    const { value, keyId } = await givenTotal(10_000);
    const { caller } = await call(nodes[0]!, value);
    for (let n = 1; n < 300; n++) await call(nodes[n % 3]!, value);
    expect(await reservedOf(keyId)).toBeGreaterThan(300);
    await nodes[0]!.change({ kind: 'key', id: keyId }, async (tx) => {
      await tx.update(apiKey).set({ total: 300 }).where(eq(apiKey.id, keyId));
    });
    for (const access of nodes) expect(await outcome(call(access, value))).toBe('key_used_up');
    // What the nodes held comes back, and allows no more calls.
    await expect.poll(() => reservedOf(keyId), { timeout: 10_000 }).toBe(300);
    for (const access of nodes) expect(await outcome(call(access, value))).toBe('key_used_up');
    expect(await nodes[1]!.remaining(caller)).toBe(0);
  });

  test('a call within a lowered total is accepted, although the node had reserved more calls', async () => {
    const use = { total: 100, reserved: 0 };
    const blocks = createCallBlocks({
      clock: systemClock,
      reserve: async ({ atLeast, atMost }) => {
        const calls = Math.max(Math.min(Math.max(atLeast, atMost), use.total - use.reserved), 0);
        use.reserved += calls;
        return calls;
      },
      giveBack: async (returned) => {
        for (const { calls } of returned) use.reserved -= calls;
      },
      onError: () => {},
    });
    const caller = { orgId: 'org_1', keyId: 'key_1' } as Caller;
    for (let n = 0; n < 4; n++) await blocks.take(caller, true);
    expect(use.reserved).toBe(7);
    use.total = 5;
    blocks.drop({ kind: 'key', id: 'key_1' });
    await blocks.take(caller, true);
    await expect((async () => blocks.take(caller, true))()).rejects.toMatchObject({ code: 'key_used_up' });
    expect(use.reserved).toBe(5);
  });

  test('a node without a lease reserves each call alone, because its block may be older than a lowered total', async () => {
    let reserved = 0;
    const blocks = createCallBlocks({
      clock: systemClock,
      reserve: async ({ atLeast, atMost }) => {
        reserved += Math.max(atLeast, atMost);
        return Math.max(atLeast, atMost);
      },
      giveBack: async () => {},
      onError: () => {},
    });
    const caller = { orgId: 'org_1', keyId: 'key_1' } as Caller;
    for (let n = 0; n < 2; n++) await blocks.take(caller, true);
    expect([reserved, blocks.left('key_1')]).toEqual([3, 1]);
    await blocks.take(caller, false);
    expect([reserved, blocks.left('key_1')]).toEqual([4, 1]);
  });
});
