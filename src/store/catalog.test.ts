import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../test/postgres.ts';

/**
 * The second barrier, checked in the database's own catalog: even if a query forgets the organization, no row of a
 * tenant can reference a row of another tenant, and the schema could be distributed by organization (Citus: every
 * primary, unique and foreign key of a distributed table contains the distribution column).
 */
let database: TestDatabase;
let client: pg.Client;

/** Tables whose keys do not begin with the organization, with the reason (docs/adr/0002). */
const REGION_TABLES = [
  'user', 'session', 'account', 'verification', 'second_factor', 'recovery_code', 'passkey', // people, who may be members of many organizations
  'organization', 'member', 'invitation', // better-auth's, keyed by ids that are unique in the region
  'installation', 'past_secret', 'running_process', 'cell', 'organization_move', // the installation itself
  'mail', // to people, who may be members of many organizations or of none yet
  'authz_clock', 'authz_change', 'node_lease', // one order of changes for all nodes
  'api_key_digest', 'access_token_digest', 'proven_domain', // these look-ups find the organization
  'used_sign_in', // states of sign-ins in progress
]; // prettier-ignore

beforeAll(async () => {
  database = await createTestDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

const rows = async <T>(text: string): Promise<T[]> => (await client.query(text, [REGION_TABLES])).rows as T[];

test('every other table is a tenant table: its first column is the organization, which is never null', async () => {
  const found = await rows<{ name: string; first: string; mandatory: boolean }>(`
    SELECT c.relname AS name, a.attname AS first, a.attnotnull AS mandatory
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = 1
    WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace AND c.relname <> ALL ($1)`);
  expect(found.length).toBeGreaterThan(10);
  expect(found.filter((table) => table.first !== 'org_id' || !table.mandatory)).toEqual([]);
});

test('primary and unique keys of tenant tables begin with the organization', async () => {
  const found = await rows<{ name: string; first: string }>(`
    SELECT i.indexrelid::regclass::text AS name, a.attname AS first
    FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[0]
    WHERE i.indisunique AND c.relnamespace = 'public'::regnamespace AND c.relname <> ALL ($1)`);
  expect(found.length).toBeGreaterThan(10);
  expect(found.filter((key) => key.first !== 'org_id')).toEqual([]);
});

// Those that are not foreign keys: checked-references.test.ts.
test('foreign keys between tenant tables begin with the organization on both sides', async () => {
  const found = await rows<{ name: string; from: string; to: string; target: string }>(`
    SELECT k.conname AS name, f.attname AS from, t.attname AS to, k.confrelid::regclass::text AS target
    FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid
    JOIN pg_attribute f ON f.attrelid = k.conrelid AND f.attnum = k.conkey[1]
    JOIN pg_attribute t ON t.attrelid = k.confrelid AND t.attnum = k.confkey[1]
    WHERE k.contype = 'f' AND c.relnamespace = 'public'::regnamespace AND c.relname <> ALL ($1)`);
  expect(found.length).toBeGreaterThan(10);
  const wrong = found.filter((key) =>
    key.target === 'member'
      ? // better-auth's name for the same column.
        key.from !== 'org_id' || key.to !== 'organization_id'
      : key.target === 'organization'
        ? key.from !== 'org_id' || key.to !== 'id'
        : key.from !== 'org_id' || key.to !== 'org_id',
  );
  expect(wrong).toEqual([]);
});

test('no table of the region references a tenant table, so that each server of a cluster can have it', async () => {
  const found = await rows<{ name: string }>(`
    SELECT k.conname AS name FROM pg_constraint k
    JOIN pg_class c ON c.oid = k.conrelid JOIN pg_class t ON t.oid = k.confrelid
    WHERE k.contype = 'f' AND c.relname = ANY ($1) AND t.relname <> ALL ($1)`);
  expect(found).toEqual([]);
});

/**
 * Plans are made once and cached. On an empty table every index that begins with the organization looks as good as the
 * primary key, and the newest of them is chosen; then each look-up by organization and id, also of foreign keys, reads
 * the whole organization when it has grown (seen: an accepted call went from 69 to 613 µs of the database's time). The
 * other queries with an index (a conversation's messages, a trigger's runs) use an id that is unique by itself.
 */
test('no index except keys begins with the organization, so that rows are found by their primary key from the start', async () => {
  const found = await rows<{ name: string }>(`
    SELECT i.indexrelid::regclass::text AS name FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[0]
    WHERE NOT i.indisunique AND i.indpred IS NULL AND a.attname = 'org_id'
      AND c.relnamespace = 'public'::regnamespace AND c.relname <> ALL ($1)`);
  expect(found.map((index) => index.name)).toEqual([]);
});

test('a row cannot reference another organization', async () => {
  await client.query(`INSERT INTO organization (id, name, slug) VALUES ('org_a', 'A', 'a'), ('org_b', 'B', 'b')`);
  await client.query(
    `INSERT INTO agent (org_id, id, name, draft, published) VALUES ('org_a', 'agent_a', 'A', '{}', '{}')`,
  );
  const pointing = client.query(
    `INSERT INTO trigger (org_id, id, agent_id, name) VALUES ('org_b', 'trigger_b', 'agent_a', 'B')`,
  );
  await expect(pointing).rejects.toThrow(/foreign key/);
});

test('a revoked key stays revoked, rights never change, and the audit log only grows', async () => {
  await client.query(`INSERT INTO organization (id, name, slug) VALUES ('org_k', 'K', 'k')`);
  await client.query(`INSERT INTO api_key (org_id, id, label, prefix, scope, permissions, revoked_at)
    VALUES ('org_k', 'key_k', 'K', 'parley_us_abcdef', 'organization', '{triggers}', now())`);
  await expect(client.query(`UPDATE api_key SET revoked_at = NULL WHERE id = 'key_k'`)).rejects.toThrow(
    /stays revoked/,
  );
  await expect(client.query(`UPDATE api_key SET permissions = '{channels}' WHERE id = 'key_k'`)).rejects.toThrow(
    /fixed for life/,
  );
  await expect(client.query(`DELETE FROM api_key WHERE id = 'key_k'`)).rejects.toThrow(/never deleted/);
  await client.query(
    `INSERT INTO audit (org_id, id, actor, action, subject_id) VALUES ('org_k', 'audit_k', 'x', 'y', 'z')`,
  );
  await expect(client.query(`UPDATE audit SET actor = 'other' WHERE id = 'audit_k'`)).rejects.toThrow(/append-only/);
  await expect(client.query(`DELETE FROM audit WHERE id = 'audit_k'`)).rejects.toThrow(/append-only/);
});
