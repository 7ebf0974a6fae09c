import { createClientTokens } from './client-tokens/client-token.ts';
import type { Key } from '../kernel/seal.ts';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { sql } from 'drizzle-orm';
import { DEFAULT_RATE_LIMITS } from '../../contract/limits.ts';
import type { Permission } from '../../contract/permissions.ts';
import type { Refusal } from '../../contract/problems.ts';
import { givenAgent, givenKey, givenOrganization, givenTrigger } from '../../test/factories.ts';
import { createTestDatabase, type TestDatabase } from '../../test/postgres.ts';
import { type Clock, systemClock } from '../kernel/clock.ts';
import { createLogger } from '../kernel/log.ts';
import { type Db, openDb } from '../store/db.ts';
import { type Access, createAccess } from './access.ts';
import { createDigest, digestBytes } from './api-keys/digest.ts';
import { mintKey } from './api-keys/key-format.ts';
import { marginOf } from './nodes/protocol.ts';
import type { Admission, Need } from './types.ts';

const pepper = Buffer.alloc(32, 9);
const digest = createDigest(pepper);
const baseUrls = { us: 'https://us.test', eu: 'https://eu.test', in: 'https://in.test', qa: 'https://qa.test' };
/** A lease that survives a machine that stops for a moment. */
const LONG_MS = 20_000;
const HERE = '203.0.113.7';
const ME: Need = {};
const CALL: Need = { permission: 'triggers', agent: 'agent_id', trigger: 'trigger_id' };

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

async function node(options: { leaseMs?: number; entries?: number; clock?: Clock } = {}): Promise<Access> {
  const log = createLogger({ level: 'silent', pretty: false });
  const access = createAccess({
    db,
    databaseUrl: database.url,
    region: 'us',
    baseUrls,
    pepper,
    clientTokens: createClientTokens(Buffer.alloc(32, 7) as Key, 'us'),
    limits: DEFAULT_RATE_LIMITS,
    clock: options.clock ?? systemClock,
    log,
    leaseMs: options.leaseMs ?? 1_000,
    directoryEntries: options.entries ?? 1_000,
  });
  await access.start();
  open.push(access);
  return access;
}

async function given(permissions: Permission[] = ['triggers']) {
  const orgId = await givenOrganization(db);
  const { agentId, channelId } = await givenAgent(db, orgId);
  const triggerId = await givenTrigger(db, orgId, agentId);
  const value = mintKey('us');
  const keyId = await givenKey(db, orgId, { digest: digestBytes(digest(value)), permissions });
  return { orgId, agentId, channelId, triggerId, value, keyId, params: { agent_id: agentId, trigger_id: triggerId } };
}

const admit = async (
  access: Access,
  value: string,
  need: Need = ME,
  params: Record<string, string> = {},
  from = HERE,
) => access.admit([`Bearer ${value}`], need, params, from);

async function refusalOf(promise: Promise<unknown>): Promise<Refusal> {
  try {
    await promise;
  } catch (error) {
    return error as Refusal;
  }
  throw new Error('was not refused');
}

const revoke = (access: Access, keyId: string) =>
  access.change({ kind: 'key', id: keyId }, (tx) =>
    tx.execute(sql`UPDATE api_key SET revoked_at = now() WHERE id = ${keyId}`),
  );

describe('admission', () => {
  it('access is decided synchronously when the key and its target are in memory', async () => {
    const access = await node({ leaseMs: LONG_MS });
    const { value, params, orgId, agentId, channelId, triggerId } = await given();
    const first = access.admit([`Bearer ${value}`], CALL, params, HERE);
    expect(first).toBeInstanceOf(Promise);
    const admission = await first;
    expect(admission.caller).toMatchObject({ orgId, plan: 'paid', scope: 'organization', permissions: ['triggers'] });
    expect(admission.agent).toMatchObject({ id: agentId, enabled: true, sandboxChannelId: channelId });
    expect(admission.trigger).toMatchObject({ id: triggerId, agentId, variables: [] });
    const second = access.admit([`Bearer ${value}`], CALL, params, HERE) as Admission;
    expect(second).not.toBeInstanceOf(Promise);
    expect(second).toEqual(admission);
  });

  it('refusals follow the order of checks, and each 401 has a WWW-Authenticate header', async () => {
    const access = await node();
    const { value, params, orgId } = await given();
    const missing = await refusalOf((async () => access.admit([], ME, {}, HERE))());
    expect(missing).toMatchObject({ code: 'authorization_missing' });
    expect(missing.extras.headers).toEqual({ 'WWW-Authenticate': 'Bearer realm="parley"' });
    const invalid = { 'WWW-Authenticate': 'Bearer realm="parley", error="invalid_token"' };
    for (const wrong of [`${value.slice(0, -1)}_`, mintKey('us')]) {
      const refusal = await refusalOf(admit(access, wrong));
      expect(refusal).toMatchObject({ code: 'key_invalid' });
      expect(refusal.extras.headers).toEqual(invalid);
    }
    const region = await refusalOf(admit(access, mintKey('qa')));
    expect(region).toMatchObject({ code: 'key_wrong_region' });
    expect(region.message).toContain('https://qa.test');
    const elsewhere = await given();
    expect(await refusalOf(admit(access, value, CALL, elsewhere.params))).toMatchObject({ code: 'agent_not_found' });
    const noTrigger = { ...params, trigger_id: elsewhere.triggerId };
    expect(await refusalOf(admit(access, value, CALL, noTrigger))).toMatchObject({ code: 'trigger_not_found' });
    for (const odd of ['..', '%00', '\u0000', 'agent_', '']) {
      const refusal = await refusalOf(admit(access, value, CALL, { ...params, agent_id: odd }));
      expect(refusal).toMatchObject({ code: 'agent_not_found' });
    }
    await access.change({ kind: 'organization', id: orgId }, (tx) =>
      tx.execute(sql`UPDATE organization SET plan = 'free' WHERE id = ${orgId}`),
    );
    expect(await refusalOf(admit(access, value, CALL, params))).toMatchObject({ code: 'plan_required' });
    await access.change({ kind: 'organization', id: orgId }, (tx) =>
      tx.execute(sql`UPDATE organization SET plan = 'paid' WHERE id = ${orgId}`),
    );
    expect((await admit(access, value, CALL, params)).caller.plan).toBe('paid');
  });

  it('a hundred simultaneous calls for the same records share one query', async () => {
    const access = await node({ leaseMs: LONG_MS });
    const { value, params } = await given();
    let queries = 0;
    const query = db.$client.query.bind(db.$client) as (...args: unknown[]) => unknown;
    Object.assign(db.$client, {
      query: (...args: unknown[]) => {
        if (JSON.stringify(args[0])?.includes('access-')) queries++;
        return query(...args);
      },
    });
    try {
      await Promise.all(Array.from({ length: 100 }, () => admit(access, value, CALL, params)));
    } finally {
      Reflect.deleteProperty(db.$client, 'query');
    }
    expect(queries).toBe(2);
  });

  it('the memory stays within its limit, and decisions stay correct when it is full', async () => {
    const access = await node({ entries: 20 });
    const keys = await Promise.all(Array.from({ length: 50 }, () => given()));
    for (let round = 0; round < 3; round++) {
      for (const { value, orgId, params } of keys) {
        expect((await admit(access, value, CALL, params)).caller.orgId).toBe(orgId);
      }
    }
  });

  it('a key is refused from the second of its scheduled end, even if no job runs', async () => {
    let aheadMs = 0;
    const access = await node({ leaseMs: LONG_MS, clock: { ...systemClock, wall: () => Date.now() + aheadMs } });
    const { value, keyId } = await given();
    await db.execute(sql`UPDATE api_key SET revoke_at = now() + interval '8 seconds' WHERE id = ${keyId}`);
    expect((await admit(access, value)).caller.keyId).toBe(keyId);
    aheadMs = 8_000;
    expect(await refusalOf(admit(access, value))).toMatchObject({ code: 'key_revoked' });
  });

  // last-used.test.ts shows that it is written immediately, without a wait.
  it('the first use of a key is recorded, and no second one within the same minute', async () => {
    const access = await node();
    const { value, keyId } = await given();
    await refusalOf(admit(access, value, { permission: 'channels' }));
    const read = async () =>
      (await db.execute<{ at: Date | null }>(sql`SELECT last_used_at AS at FROM api_key WHERE id = ${keyId}`)).rows[0]!
        .at;
    await expect.poll(read).not.toBeNull();
    const first = await read();
    await admit(access, value);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await read()).toEqual(first);
  });
});

describe('revocation', () => {
  it('one node confirms a revocation fast and refuses the very next call', async () => {
    const leaseMs = 3_000;
    const access = await node({ leaseMs });
    // The first revoke waits until the database has run for a lease.
    await revoke(access, (await given()).keyId);
    const took: number[] = [];
    for (let round = 0; round < 20; round++) {
      const { value, keyId } = await given();
      await admit(access, value);
      const started = performance.now();
      await revoke(access, keyId);
      took.push(performance.now() - started);
      expect(await refusalOf(admit(access, value))).toMatchObject({ code: 'key_revoked' });
    }
    // None waits for the next renewal, a third of a lease; a few may meet a busy machine.
    expect(Math.max(...took)).toBeLessThan(leaseMs / 3);
    expect(took.toSorted((a, b) => a - b)[10]).toBeLessThan(200);
  });

  it('a confirmed revocation of a key is effective on every node', async () => {
    const nodes = [await node(), await node(), await node()];
    for (let round = 0; round < 10; round++) {
      const { value, keyId } = await given();
      for (const each of nodes) await admit(each, value);
      await revoke(nodes[round % 3]!, keyId);
      for (const each of nodes) expect(await refusalOf(admit(each, value))).toMatchObject({ code: 'key_revoked' });
    }
  });

  it('confirmed narrower networks of a key are effective on every node', async () => {
    const nodes = [await node(), await node(), await node()];
    const at = (access: Access, value: string, from: string) => admit(access, value, ME, {}, from);
    for (let round = 0; round < 10; round++) {
      const { value, keyId } = await given();
      for (const each of nodes) await at(each, value, '203.0.113.7');
      await nodes[round % 3]!.change({ kind: 'key', id: keyId }, (tx) =>
        tx.execute(sql`UPDATE api_key SET allowed_networks = '{198.51.100.0/24,2001:db8::/32}' WHERE id = ${keyId}`),
      );
      for (const each of nodes) {
        expect(await refusalOf(at(each, value, '203.0.113.7'))).toMatchObject({ code: 'network_not_allowed' });
        expect((await at(each, value, '::ffff:198.51.100.7')).from).toBe('198.51.100.7');
        expect((await at(each, value, '2001:DB8::0:7')).from).toBe('2001:db8::7');
      }
    }
  });

  it('a confirmed deletion of an agent is effective on every node', async () => {
    const nodes = [await node(), await node(), await node()];
    for (let round = 0; round < 10; round++) {
      const { value, agentId, params } = await given();
      for (const each of nodes) await admit(each, value, CALL, params);
      await nodes[round % 3]!.change({ kind: 'agent', id: agentId }, (tx) =>
        tx.execute(sql`UPDATE agent SET deleted_at = now() WHERE id = ${agentId}`),
      );
      for (const each of nodes) {
        expect(await refusalOf(admit(each, value, CALL, params))).toMatchObject({ code: 'agent_not_found' });
      }
    }
  });

  it('a revocation waits at most one lease for a node that died', async () => {
    const leaseMs = 2_000;
    const wholeMs = leaseMs + marginOf(leaseMs);
    const access = await node({ leaseMs });
    const [first, second] = [await given(), await given()];
    await db.execute(sql`INSERT INTO node_lease (node_id, applied_seq) VALUES ('node_dead', 0)`);
    const started = performance.now();
    await revoke(access, first.keyId);
    const waited = performance.now() - started;
    expect(waited).toBeGreaterThan(wholeMs);
    expect(waited).toBeLessThan(2 * wholeMs);
    const again = performance.now();
    await revoke(access, second.keyId);
    expect(performance.now() - again).toBeLessThan(wholeMs);
  });

  it('a revocation waits for no lease of a node that has stopped', async () => {
    const leaseMs = 2_000;
    const [leaving, staying] = [await node({ leaseMs }), await node({ leaseMs })];
    const [first, second] = [await given(), await given()];
    await revoke(staying, first.keyId);
    await leaving.stop();
    open.splice(open.indexOf(leaving), 1);
    const started = performance.now();
    await revoke(staying, second.keyId);
    expect(performance.now() - started).toBeLessThan(leaseMs);
  });

  it('a key ends at its scheduled time, and another node completes the end if the first node died', async () => {
    const access = await node();
    const [due, cut] = [await given(), await given()];
    await admit(access, cut.value);
    await db.execute(sql`UPDATE api_key SET revoke_at = now() WHERE id = ${due.keyId}`);
    await db.execute(sql`UPDATE api_key SET revoked_at = now() WHERE id = ${cut.keyId}`);
    const effective = async () =>
      (
        await db.execute<{ n: string }>(sql`SELECT count(*) AS n FROM api_key
        WHERE id IN (${due.keyId}, ${cut.keyId}) AND revoked_at IS NOT NULL AND effective_at IS NOT NULL`)
      ).rows[0]!.n;
    await expect.poll(effective).toBe('2');
    expect(await refusalOf(admit(access, cut.value))).toMatchObject({ code: 'key_revoked' });
    const audited = await db.execute(
      sql`SELECT 1 FROM audit WHERE subject_id = ${due.keyId} AND action = 'api_key.revoked'`,
    );
    expect(audited.rows).toHaveLength(1);
  });
});

describe('lease', () => {
  it('a node registers again and clears its memory if its row is gone', async () => {
    const access = await node({ leaseMs: 300 });
    const { value, keyId } = await given();
    await admit(access, value);
    // Another node declared this one dead; its revokes since then did not wait for this node.
    await db.execute(
      sql`WITH gone AS (DELETE FROM node_lease) UPDATE api_key SET revoked_at = now() WHERE id = ${keyId}`,
    );
    await new Promise((resolve) => setTimeout(resolve, 330));
    expect(await refusalOf(admit(access, value))).toMatchObject({ code: 'key_revoked' });
    await expect.poll(() => access.ready()).toBe(true);
  });

  it('without the lease and the database, the response is 503 and no call is accepted', async () => {
    const own = await createTestDatabase();
    const ownDb = openDb(own.url);
    ownDb.$client.on('error', () => {});
    const orgId = await givenOrganization(ownDb);
    const value = mintKey('us');
    await givenKey(ownDb, orgId, { digest: digestBytes(digest(value)) });
    const access = createAccess({
      db: ownDb,
      databaseUrl: own.url,
      region: 'us',
      baseUrls,
      pepper,
      clientTokens: createClientTokens(Buffer.alloc(32, 7) as Key, 'us'),
      limits: DEFAULT_RATE_LIMITS,
      clock: systemClock,
      log: createLogger({ level: 'silent', pretty: false }),
      leaseMs: 300,
    });
    await access.start();
    await admit(access, value);
    await own.drop();
    await new Promise((resolve) => setTimeout(resolve, 350));
    const refusal = await refusalOf(admit(access, value));
    expect(refusal).toMatchObject({ code: 'unavailable' });
    await access.stop();
    await ownDb.$client.end();
  });
});
