import { createClientTokens } from '../../access/client-tokens/client-token.ts';
import type { Key } from '../../kernel/seal.ts';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_RATE_LIMITS } from '../../../contract/limits.ts';
import type { Refusal } from '../../../contract/problems.ts';
import { givenAgent, givenOrganization } from '../../../test/factories.ts';
import { createTestDatabase, type TestDatabase } from '../../../test/postgres.ts';
import { type Access, createAccess } from '../../access/access.ts';
import { createDigest } from '../../access/api-keys/digest.ts';
import { systemClock } from '../../kernel/clock.ts';
import { newId } from '../../kernel/ids.ts';
import { createLogger } from '../../kernel/log.ts';
import { type Db, openDb } from '../../store/db.ts';
import { createApiKey } from './create-api-key.ts';
import type { ApiKeysDeps } from './deps.ts';
import type { LowerKeyLimitsBody } from '../../../contract/key-limits.ts';
import { lowerKeyLimits } from './lower-key-limits.ts';
import { listApiKeys } from './list-api-keys.ts';
import { readApiKey } from './read-api-key.ts';
import { renameApiKey } from './rename-api-key.ts';
import { revokeApiKey } from './revoke-api-key.ts';
import { rotateApiKey } from './rotate-api-key.ts';
import { shortenKeyNetworks } from './shorten-key-networks.ts';

const pepper = Buffer.alloc(32, 3);
const actor = { userId: 'user_1', address: '203.0.113.7', requestId: 'req_1' };

let database: TestDatabase;
let db: Db;
let access: Access;
let deps: ApiKeysDeps;

beforeAll(async () => {
  database = await createTestDatabase();
  db = openDb(database.url);
  access = createAccess({
    db,
    databaseUrl: database.url,
    region: 'us',
    baseUrls: { us: '', eu: '', in: '', qa: '' },
    pepper,
    clientTokens: createClientTokens(Buffer.alloc(32, 7) as Key, 'us'),
    limits: DEFAULT_RATE_LIMITS,
    clock: systemClock,
    log: createLogger({ level: 'silent', pretty: false }),
  });
  await access.start();
  deps = {
    db,
    access,
    region: 'us',
    digest: createDigest(pepper),
    now: Date.now,
    queueMail: null,
    baseUrl: 'https://parley.test',
  };
});
afterAll(async () => {
  await access.stop();
  await db.$client.end();
  await database.drop();
});

async function refusalOf(promise: Promise<unknown>): Promise<Refusal> {
  try {
    await promise;
  } catch (error) {
    return error as Refusal;
  }
  throw new Error('was not refused');
}

const call = async (value: string, from = '203.0.113.7') => access.admit([`Bearer ${value}`], {}, {}, from);
const codeOf = async (value: string) => (await refusalOf(call(value))).code;
const plain = { label: 'CRM', scope: 'organization', permissions: ['triggers'] } as const;
const create = (orgId: string, body = {}) =>
  createApiKey(deps, orgId, { ...plain, permissions: ['triggers'], ...body }, actor);
const audits = async (id: string) =>
  (
    await db.execute<{ action: string; facts: object; address: string }>(
      sql`SELECT action, facts, address FROM audit WHERE subject_id = ${id} ORDER BY created_at, id`,
    )
  ).rows;

describe('create', () => {
  it('the value of a new key is returned once, stored only as a digest, and valid immediately', async () => {
    const orgId = await givenOrganization(db);
    const made = await create(orgId, { label: '  CRM  ' });
    expect(made).toMatchObject({ label: 'CRM', scope: 'organization', state: 'active', last_used_at: null });
    expect(made.value.startsWith(made.prefix)).toBe(true);
    expect((await call(made.value)) as object).toMatchObject({ caller: { keyId: made.id, orgId } });
    const secret = made.value.slice(16);
    for (const table of ['api_key', 'api_key_digest', 'audit']) {
      const { rows } = await db.execute(sql.raw(`SELECT t::text AS row FROM ${table} t`));
      expect(JSON.stringify(rows)).not.toContain(secret);
    }
    expect(await readApiKey(deps, orgId, made.id)).not.toHaveProperty('value');
    expect(await audits(made.id)).toMatchObject([
      { action: 'api_key.created', address: actor.address, facts: { prefix: made.prefix, permissions: ['triggers'] } },
    ]);
  });

  it.each([
    ['blank label', { label: ' \t ' }, ['/label required']],
    ['no permission', { permissions: undefined }, ['/permissions required']],
    ['the same permission twice', { permissions: ['triggers', 'triggers'] }, ['/permissions/1 duplicate']],
    ['campaigns for the organization', { permissions: ['triggers', 'campaigns'] }, ['/permissions/1 conflict']],
    ['agent scope without agent', { scope: 'agent' }, ['/agent_id required']],
    [
      'end users and campaigns for an agent',
      { scope: 'agent', agent_id: newId('agent'), permissions: ['end_users', 'campaigns'] },
      ['/permissions/0 conflict', '/permissions/1 conflict'],
    ],
    ['an agent without agent scope', { agent_id: newId('agent') }, ['/agent_id conflict']],
    [
      'triggers for a campaign',
      { scope: 'campaign', campaign_id: newId('campaign'), permissions: ['triggers'] },
      ['/permissions/0 conflict'],
    ],
    ['an end in the past', { expires_at: '2020-01-01T00:00:00Z' }, ['/expires_at past']],
    ['a missing agent', { scope: 'agent', agent_id: newId('agent') }, ['/agent_id not_found']],
    [
      'a missing campaign',
      { scope: 'campaign', campaign_id: newId('campaign'), permissions: undefined },
      ['/campaign_id not_found'],
    ],
  ])('a key with %s is refused, and nothing is written', async (_, body, faults) => {
    const orgId = await givenOrganization(db);
    const refusal = await refusalOf(create(orgId, body));
    expect(refusal.code).toBe('validation_failed');
    expect(refusal.extras.errors?.map(({ pointer, code }) => `${pointer} ${code}`)).toEqual(faults);
    expect((await listApiKeys(deps, orgId, { state: 'all' }, { limit: 10, after: null })).rows).toEqual([]);
  });

  it('a key for an agent of another organization, or on the Free plan, is refused', async () => {
    const [orgId, other, free] = [
      await givenOrganization(db),
      await givenOrganization(db),
      await givenOrganization(db, { plan: 'free' }),
    ];
    const { agentId } = await givenAgent(db, other);
    expect((await refusalOf(create(orgId, { scope: 'agent', agent_id: agentId }))).code).toBe('validation_failed');
    expect((await refusalOf(create(free))).code).toBe('plan_required');
    expect((await refusalOf(create(newId('org')))).code).toBe('organization_not_found');
  });

  it('a key is refused from the time of its expiry', async () => {
    const orgId = await givenOrganization(db);
    const made = await create(orgId, { expires_at: new Date(Date.now() + 2_000).toISOString() });
    await call(made.value);
    await new Promise((resolve) => setTimeout(resolve, 2_050));
    expect(await codeOf(made.value)).toBe('key_revoked');
    await expect.poll(async () => (await readApiKey(deps, orgId, made.id)).state).toBe('revoked');
  });
});

describe('networks', () => {
  const shorten = (orgId: string, id: string, networks: string[]) =>
    shortenKeyNetworks(deps, orgId, id, networks, actor);
  const faultsOf = async (promise: Promise<unknown>) =>
    (await refusalOf(promise)).extras.errors?.map(({ pointer, code }) => `${pointer} ${code}`);

  it('networks of a key are stored in canonical form, and callers from other networks are refused', async () => {
    const orgId = await givenOrganization(db);
    const made = await create(orgId, {
      allowed_networks: ['203.0.113.7', '::ffff:198.51.100.0/120', '2001:DB8:0::/32', '203.0.113.7/32'],
    });
    expect(made.allowed_networks).toEqual(['203.0.113.7/32', '198.51.100.0/24', '2001:db8::/32']);
    expect((await call(made.value, '::ffff:203.0.113.7')).caller.networks).toHaveLength(3);
    expect((await refusalOf(call(made.value, '203.0.113.8'))).code).toBe('network_not_allowed');
    expect((await create(orgId)).allowed_networks).toBeNull();
    expect(await audits(made.id)).toMatchObject([{ facts: { allowed_networks: made.allowed_networks } }]);
  });

  it('invalid networks are refused, each with its place', async () => {
    const orgId = await givenOrganization(db);
    const wrong = ['10.0.0.0/8', '10.0.0.1/8', 'office', '10.0.0.0/33'];
    const faults = ['/allowed_networks/1 format', '/allowed_networks/2 format', '/allowed_networks/3 format'];
    expect(await faultsOf(create(orgId, { allowed_networks: wrong }))).toEqual(faults);
    const made = await create(orgId);
    expect(await faultsOf(shorten(orgId, made.id, wrong))).toEqual(faults);
    expect((await readApiKey(deps, orgId, made.id)).allowed_networks).toBeNull();
  });

  it('narrowed networks are enforced on the very next call, and networks are never widened', async () => {
    const orgId = await givenOrganization(db);
    const made = await create(orgId);
    await call(made.value, '192.0.2.1');
    expect((await shorten(orgId, made.id, ['203.0.113.0/24', '10.0.0.0/8'])).allowed_networks).toEqual([
      '203.0.113.0/24',
      '10.0.0.0/8',
    ]);
    expect((await refusalOf(call(made.value, '192.0.2.1'))).code).toBe('network_not_allowed');
    await call(made.value, '10.9.9.9');
    await shorten(orgId, made.id, ['203.0.113.7', '203.0.113.64/26']);
    expect((await refusalOf(call(made.value, '10.9.9.9'))).code).toBe('network_not_allowed');
    await call(made.value, '203.0.113.7');
    for (const wider of [['203.0.113.0/24'], ['203.0.113.7', '10.0.0.0/8'], ['0.0.0.0/0'], ['::/0']])
      expect(await faultsOf(shorten(orgId, made.id, wider))).toEqual([
        `/allowed_networks/${wider.length - 1} conflict`,
      ]);
    expect((await readApiKey(deps, orgId, made.id)).allowed_networks).toEqual(['203.0.113.7/32', '203.0.113.64/26']);
    expect((await audits(made.id)).slice(1)).toMatchObject([
      { action: 'api_key.networks_shortened', facts: { from: null, to: ['203.0.113.0/24', '10.0.0.0/8'] } },
      { action: 'api_key.networks_shortened', facts: { to: ['203.0.113.7/32', '203.0.113.64/26'] } },
    ]);
    expect((await refusalOf(shorten(await givenOrganization(db), made.id, ['10.0.0.0/8']))).code).toBe('key_not_found');
  });

  it('two simultaneous narrowings result in networks that are inside both', async () => {
    const orgId = await givenOrganization(db);
    const made = await create(orgId, { allowed_networks: ['10.0.0.0/8'] });
    const outcomes = await Promise.allSettled([
      shorten(orgId, made.id, ['10.1.0.0/16']),
      shorten(orgId, made.id, ['10.2.0.0/16']),
    ]);
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  });

  it('a rotation copies the networks, and a revoked key keeps them', async () => {
    const orgId = await givenOrganization(db);
    const old = await create(orgId, { allowed_networks: ['203.0.113.0/24'] });
    const made = await rotateApiKey(deps, orgId, old.id, 'now', actor);
    expect(made.allowed_networks).toEqual(['203.0.113.0/24']);
    expect((await refusalOf(call(made.value, '192.0.2.1'))).code).toBe('network_not_allowed');
    expect((await refusalOf(shorten(orgId, old.id, ['203.0.113.7']))).code).toBe('key_revoked_already');
    // A revoked key is reported as revoked to callers from any network.
    expect((await refusalOf(call(old.value, '192.0.2.1'))).code).toBe('key_revoked');
  });

  it.each([
    ['everywhere again', 'NULL'],
    ['one more', `'{203.0.113.0/24,10.0.0.0/8}'`],
    ['a wider one', `'{203.0.0.0/16}'`],
    ['none at all', `'{}'`],
    ['an unknown one', `'{203.0.113.0/25,NULL}'`],
  ])('no program that writes to the database can widen the networks: %s', async (_, networks) => {
    const orgId = await givenOrganization(db);
    const made = await create(orgId, { allowed_networks: ['203.0.113.0/24'] });
    const write = db.execute(sql.raw(`UPDATE api_key SET allowed_networks = ${networks} WHERE id = '${made.id}'`));
    await expect(write).rejects.toThrow('Failed query');
  });
});

describe('limits', () => {
  const lower = (orgId: string, id: string, limits: LowerKeyLimitsBody) =>
    lowerKeyLimits(deps, orgId, id, limits, actor);
  const faultsOf = async (promise: Promise<unknown>) =>
    (await refusalOf(promise)).extras.errors?.map(({ pointer, code }) => `${pointer} ${code}`);
  const count = async (value: string) => access.admit([`Bearer ${value}`], {}, {}, '203.0.113.7', true);

  it('limits are stored without a change and shown with the remaining calls', async () => {
    const orgId = await givenOrganization(db);
    const made = await create(orgId, { limits: { total: 3, per_minute: 10 } });
    expect(made).toMatchObject({ limits: { total: 3, per_minute: 10 }, remaining: 3 });
    expect(await audits(made.id)).toMatchObject([{ facts: { limits: { total: 3, per_minute: 10 } } }]);
    await count(made.value);
    expect((await readApiKey(deps, orgId, made.id)).remaining).toBe(2);
    expect((await listApiKeys(deps, orgId, {}, { limit: 1, after: null })).rows).toMatchObject([{ remaining: 2 }]);
    for (const none of [{}, { limits: {} }, { limits: null }])
      expect(await create(orgId, none)).toMatchObject({ limits: null, remaining: null });
  });

  it('a limit per end user needs a permission for calls about one end user', async () => {
    const orgId = await givenOrganization(db);
    const limits = { per_end_user_per_minute: 5 };
    expect(await faultsOf(create(orgId, { permissions: ['end_users'], limits }))).toEqual([
      '/limits/per_end_user_per_minute conflict',
    ]);
    const made = await create(orgId, { permissions: ['end_users'] });
    expect(await faultsOf(lower(orgId, made.id, limits))).toEqual(['/per_end_user_per_minute conflict']);
    expect((await create(orgId, { permissions: ['end_users', 'channels'], limits })).limits).toEqual(limits);
  });

  it('lowered limits are enforced on the very next call, and limits are never raised or removed', async () => {
    const orgId = await givenOrganization(db);
    const made = await create(orgId, { limits: { total: 100, per_minute: 60 } });
    for (let n = 0; n < 3; n++) await count(made.value);
    expect(await lower(orgId, made.id, { total: 4 })).toMatchObject({ limits: { total: 4, per_minute: 60 } });
    await count(made.value);
    expect((await refusalOf(count(made.value))).code).toBe('key_used_up');
    expect(await faultsOf(lower(orgId, made.id, { total: 5, per_minute: 61 }))).toEqual([
      '/per_minute conflict',
      '/total conflict',
    ]);
    expect(await faultsOf(lower(orgId, made.id, { total: null }))).toEqual(['/total conflict']);
    expect(await faultsOf(lower(orgId, made.id, {}))).toEqual([' required']);
    expect(await lower(orgId, made.id, { total: 2 })).toMatchObject({ limits: { total: 2 }, remaining: 0 });
    expect((await audits(made.id)).slice(1)).toMatchObject([
      { action: 'api_key.limits_lowered', facts: { from: { total: 100 }, to: { total: 4, per_minute: 60 } } },
      { action: 'api_key.limits_lowered', facts: { from: { total: 4 }, to: { total: 2 } } },
    ]);
    expect((await refusalOf(lower(await givenOrganization(db), made.id, { total: 1 }))).code).toBe('key_not_found');
    await revokeApiKey(deps, orgId, made.id, actor);
    expect((await refusalOf(lower(orgId, made.id, { total: 1 }))).code).toBe('key_revoked_already');
  });

  it('limits can be added to a key, whose total then counts only later calls', async () => {
    const orgId = await givenOrganization(db);
    const made = await create(orgId);
    for (let n = 0; n < 5; n++) await count(made.value);
    expect(await lower(orgId, made.id, { total: 1 })).toMatchObject({ limits: { total: 1 }, remaining: 1 });
    await count(made.value);
    expect((await refusalOf(count(made.value))).code).toBe('key_used_up');
  });

  it('a rotation copies the limits, with the remaining calls of the total', async () => {
    const orgId = await givenOrganization(db);
    const old = await create(orgId, { limits: { total: 3, per_minute: 60 } });
    await count(old.value);
    const made = await rotateApiKey(deps, orgId, old.id, 'now', actor);
    expect(made).toMatchObject({ limits: { total: 2, per_minute: 60 }, remaining: 2 });
    for (let n = 0; n < 2; n++) await count(made.value);
    expect((await refusalOf(count(made.value))).code).toBe('key_used_up');
    expect((await refusalOf(rotateApiKey(deps, orgId, made.id, '1h', actor))).code).toBe('key_used_up');
  });

  it('the total of a rotated key is lowered at the key whose calls it uses', async () => {
    const orgId = await givenOrganization(db);
    const old = await create(orgId, { limits: { total: 10, per_minute: 60 } });
    await count(old.value);
    const made = await rotateApiKey(deps, orgId, old.id, '24h', actor);
    expect(await faultsOf(lower(orgId, old.id, { total: 1 }))).toEqual(['/total conflict']);
    expect(await lower(orgId, old.id, { per_minute: 30 })).toMatchObject({ limits: { total: 10, per_minute: 30 } });
    await lower(orgId, made.id, { total: 1 });
    await count(old.value);
    for (const { value } of [old, made]) expect((await refusalOf(count(value))).code).toBe('key_used_up');
  });

  it('a lowered total of the new key also stops calls that nodes reserved for the old key', async () => {
    const orgId = await givenOrganization(db);
    const old = await create(orgId, { limits: { total: 1_000 } });
    const made = await rotateApiKey(deps, orgId, old.id, '24h', actor);
    for (let n = 0; n < 20; n++) await count(old.value);
    await lower(orgId, made.id, { total: 1 });
    for (const { value } of [old, made]) expect((await refusalOf(count(value))).code).toBe('key_used_up');
    expect((await readApiKey(deps, orgId, old.id)).remaining).toBe(0);
  });

  it('old and new key share their limits after a rotation, but no other key does', async () => {
    const orgId = await givenOrganization(db);
    const old = await create(orgId, { limits: { total: 10 } });
    const first = await rotateApiKey(deps, orgId, old.id, '24h', actor);
    expect(first.limits).toEqual({ total: 10 });
    const again = await Promise.all([1, 2].map(() => refusalOf(rotateApiKey(deps, orgId, old.id, '24h', actor))));
    expect(again.map(({ code }) => code)).toEqual(['key_used_up', 'key_used_up']);
    await count(old.value);
    await count(first.value);
    const second = await rotateApiKey(deps, orgId, first.id, '24h', actor);
    let calls = 2;
    for (let n = 0; n < 12; n++)
      for (const { value } of [old, first, second])
        await count(value).then(
          () => calls++,
          () => undefined,
        );
    expect(calls).toBeGreaterThan(5);
    expect(calls).toBeLessThanOrEqual(10);
  });

  it.each([
    ['raised', 'total = 4'],
    ['removed', 'total = NULL'],
    ['raised per minute', 'per_minute = 61'],
    ['removed per minute', 'per_minute = NULL'],
    ['removed per end user', 'per_end_user_per_minute = NULL'],
  ])('no program that writes to the database can change a limit: %s', async (_, change) => {
    const orgId = await givenOrganization(db);
    const limits = { total: 3, per_minute: 60, per_end_user_per_minute: 5 };
    const made = await create(orgId, { limits });
    await expect(db.execute(sql.raw(`UPDATE api_key SET ${change} WHERE id = '${made.id}'`))).rejects.toThrow(
      'Failed query',
    );
  });
});

describe('list', () => {
  it('the list has all keys of the organization in pages, newest first, and no key of another organization', async () => {
    const orgId = await givenOrganization(db);
    await create(await givenOrganization(db));
    const made = [];
    for (let i = 0; i < 5; i++) made.unshift((await create(orgId, { label: `Key ${i}` })).id);
    const seen: string[] = [];
    let after: { createdAt: Date; id: string } | null = null;
    for (let more = true; more;) {
      const { rows, hasMore } = await listApiKeys(deps, orgId, {}, { limit: 2, after });
      seen.push(...rows.map((row) => row.id));
      const last = rows.at(-1)!;
      after = { createdAt: new Date(last.created_at), id: last.id };
      more = hasMore;
    }
    expect(seen).toEqual(made);
  });

  it('the list can be filtered by words, scope, permission and state', async () => {
    const orgId = await givenOrganization(db);
    const { agentId } = await givenAgent(db, orgId);
    const crm = await create(orgId, { label: '100% CRM' });
    const desk = await create(orgId, { label: 'Desk', scope: 'agent', agent_id: agentId, permissions: ['channels'] });
    const gone = await create(orgId, { label: 'Gone' });
    await revokeApiKey(deps, orgId, gone.id, actor);
    const ids = async (filter: object) =>
      (await listApiKeys(deps, orgId, filter, { limit: 9, after: null })).rows.map((row) => row.id);
    expect(await ids({})).toEqual([desk.id, crm.id]);
    expect(await ids({ state: 'all' })).toEqual([gone.id, desk.id, crm.id]);
    expect(await ids({ state: 'revoked' })).toEqual([gone.id]);
    expect(await ids({ text: '0%' })).toEqual([crm.id]);
    expect(await ids({ text: desk.prefix })).toEqual([desk.id]);
    expect(await ids({ scope: 'agent' })).toEqual([desk.id]);
    expect(await ids({ permission: 'channels' })).toEqual([desk.id]);
    expect(await ids({ agent_id: agentId })).toEqual([desk.id]);
  });
});

describe('rename', () => {
  it('a rename changes only the label, from the next call on', async () => {
    const orgId = await givenOrganization(db);
    const made = await create(orgId);
    await call(made.value);
    const { value, last_used_at: _unused, ...record } = made;
    expect(await renameApiKey(deps, orgId, made.id, ' Shop ', actor)).toMatchObject({
      ...record,
      label: 'Shop',
    });
    expect(await call(value)).toMatchObject({ caller: { label: 'Shop' } });
    expect(await audits(made.id)).toMatchObject([
      {},
      { action: 'api_key.renamed', facts: { from: 'CRM', to: 'Shop' } },
    ]);
    expect((await refusalOf(renameApiKey(deps, orgId, made.id, '  ', actor))).code).toBe('validation_failed');
    expect((await refusalOf(renameApiKey(deps, await givenOrganization(db), made.id, 'x', actor))).code).toBe(
      'key_not_found',
    );
  });
});

describe('revoke', () => {
  it('a revoke is final, stops the very next call, and returns its time', async () => {
    const orgId = await givenOrganization(db);
    const made = await create(orgId);
    await call(made.value);
    const revoked = await revokeApiKey(deps, orgId, made.id, actor);
    expect(await codeOf(made.value)).toBe('key_revoked');
    expect(revoked).toMatchObject({ state: 'revoked', revoked_by: actor.userId });
    expect(Date.parse(revoked.effective_at!)).toBeGreaterThanOrEqual(Date.parse(revoked.revoked_at!));
    const again = await revokeApiKey(deps, orgId, made.id, { ...actor, userId: 'user_2' });
    expect(again).toEqual({ ...revoked, last_used_at: again.last_used_at });
    expect((await audits(made.id)).map(({ action }) => action)).toEqual(['api_key.created', 'api_key.revoked']);
    expect((await refusalOf(revokeApiKey(deps, await givenOrganization(db), made.id, actor))).code).toBe(
      'key_not_found',
    );
    await expect(db.execute(sql`UPDATE api_key SET revoked_at = NULL WHERE id = ${made.id}`)).rejects.toThrow(
      'Failed query',
    );
  });

  it('ten simultaneous revokes return the same time', async () => {
    const orgId = await givenOrganization(db);
    const made = await create(orgId);
    const answers = await Promise.all(Array.from({ length: 10 }, () => revokeApiKey(deps, orgId, made.id, actor)));
    expect(new Set(answers.map((answer) => answer.effective_at)).size).toBe(1);
    expect((await audits(made.id)).filter(({ action }) => action === 'api_key.revoked')).toHaveLength(1);
  });
});

describe('rotate', () => {
  it('a rotation creates a new key with the same rights, and the old key expires later', async () => {
    const orgId = await givenOrganization(db);
    const { agentId } = await givenAgent(db, orgId);
    const old = await create(orgId, { scope: 'agent', agent_id: agentId, permissions: ['channels', 'triggers'] });
    const made = await rotateApiKey(deps, orgId, old.id, '1h', actor);
    expect(made).toMatchObject({
      scope: 'agent',
      agent_id: agentId,
      permissions: old.permissions,
      rotated_from: old.id,
    });
    expect(made.value).not.toBe(old.value);
    await call(made.value);
    await call(old.value);
    const end = Date.parse((await readApiKey(deps, orgId, old.id)).revoke_at!);
    expect(end - Date.now()).toBeGreaterThan(3_590_000);
    expect(end - Date.now()).toBeLessThanOrEqual(3_600_000);
    await rotateApiKey(deps, orgId, old.id, '7d', actor);
    expect(Date.parse((await readApiKey(deps, orgId, old.id)).revoke_at!)).toBe(end);
  });

  it('a rotation without overlap refuses the old key on its next call', async () => {
    const orgId = await givenOrganization(db);
    const old = await create(orgId);
    await call(old.value);
    const made = await rotateApiKey(deps, orgId, old.id, 'now', actor);
    expect(await codeOf(old.value)).toBe('key_revoked');
    await call(made.value);
    expect((await readApiKey(deps, orgId, old.id)).state).toBe('revoked');
    expect((await refusalOf(rotateApiKey(deps, orgId, old.id, '1h', actor))).code).toBe('key_revoked_already');
    expect((await listApiKeys(deps, orgId, { state: 'all' }, { limit: 9, after: null })).rows).toHaveLength(2);
  });
});
