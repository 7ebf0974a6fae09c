import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sql } from 'drizzle-orm';
import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/app.ts';
import { givenAgent, givenTrigger } from '../../../test/factories.ts';
import { createTestDatabase } from '../../../test/postgres.ts';
import { backup } from '../backup/backup.ts';
import { restore } from '../backup/restore.ts';
import { type Db, isDeadlock, openDb, retryWhile } from '../db.ts';
import { addCells, migrate } from '../migrate.ts';
import { insertOrganization } from '../organizations/organizations.ts';
import { takePlaces } from '../nodes/leases.ts';
import { readRunProgress } from '../runs/read.ts';
import { suppression } from '../schema/end-user.ts';
import { insistOnAnswer } from './by-cell.ts';
import { listCells } from './list-cells.ts';
import { REGION_TABLES } from './region-tables.ts';

/** The complete program, whose database has two cells with one organization each. */
type Tenant = { orgId: string; agentId: string; triggerId: string; key: string };
let parley: TestApp;
let db: Db;
let first: Tenant;
let second: Tenant;
let raw: pg.Client;

beforeAll(async () => {
  const database = await createTestDatabase();
  await addCells(database.url, 1);
  parley = await startTestApp({}, { database });
  db = parley.db;
  raw = new pg.Client({ connectionString: database.url });
  await raw.connect();
  first = await tenant();
  second = await tenant();
});
afterAll(async () => {
  await raw.end();
  await parley.stop();
});

async function tenant(): Promise<Tenant> {
  const { id: orgId } = await insertOrganization(db, { name: 'Test', plan: 'paid' });
  const { agentId } = await givenAgent(db, orgId);
  const triggerId = await givenTrigger(db, orgId, agentId);
  return { orgId, agentId, triggerId, key: (await parley.key(orgId)).value };
}

const start = ({ agentId, triggerId, key }: Tenant, body: object = {}) =>
  parley.call('POST', `/api/triggers/${agentId}/${triggerId}`, { key, body, headers: { prefer: 'wait=10' } });
const rowsIn = async (cell: string, table: string): Promise<string[]> =>
  (await raw.query<{ org_id: string }>(`SELECT DISTINCT org_id FROM ${cell}.${table}`)).rows.map((row) => row.org_id);

test('new organizations are created in the cell with the fewest organizations', async () => {
  expect(await listCells(db)).toMatchObject([
    { cell: 'public', organizations: [first.orgId] },
    { cell: 'cell_2', organizations: [second.orgId] },
  ]);
});

test('calls that arrive together are accepted and answered in the cells of their organizations', async () => {
  const answers = await Promise.all([first, second, first, second].map((one) => start(one)));
  expect(answers.map(({ status, body }) => [status, body.run?.status ?? body.status])).toEqual(
    answers.map(() => [answers[0]!.status, answers[0]!.body.run?.status ?? answers[0]!.body.status]),
  );
  for (const table of ['run', 'conversation', 'end_user', 'api_key', 'agent']) {
    expect(await rowsIn('public', table)).toEqual([first.orgId]);
    expect(await rowsIn('cell_2', table)).toEqual([second.orgId]);
  }
  const { rows } = await raw.query<{ turns: number }>(
    'SELECT turns FROM public.run UNION ALL SELECT turns FROM cell_2.run',
  );
  expect(rows.every(({ turns }) => turns > 0)).toBe(true);
});

test('a call with the key of one organization does not reach the other one', async () => {
  const answer = await start({ ...first, key: second.key });
  expect(answer.status).toBe(404);
});

test('one query for runs of both cells finds all of them', async () => {
  const { rows } = await raw.query<{ orgId: string; runId: string }>(
    'SELECT org_id AS "orgId", id AS "runId" FROM public.run UNION ALL SELECT org_id, id FROM cell_2.run',
  );
  const found = await readRunProgress(db, rows);
  expect(new Set(found.map(({ id }) => id))).toEqual(new Set(rows.map(({ runId }) => runId)));
});

test('a statement that names no organization, or organizations of two cells, is refused', async () => {
  await expect(db.execute(sql`UPDATE run SET due_at = NULL`)).rejects.toMatchObject({
    cause: { message: expect.stringContaining('names no organization') },
  });
  const both = sql.param([first.orgId, second.orgId]);
  await expect(db.execute(sql`SELECT id FROM run WHERE org_id = ANY (${both})`)).rejects.toMatchObject({
    cause: { message: expect.stringContaining('several cells') },
  });
});

test('a text of a user that looks like the ID of an organization does not change the cell', async () => {
  const name = second.orgId;
  await db.execute(sql`UPDATE agent SET name = ${name} WHERE org_id = ${first.orgId} AND id = ${first.agentId}`);
  const { rows } = await raw.query('SELECT name FROM public.agent WHERE id = $1', [first.agentId]);
  expect(rows).toEqual([{ name }]);
});

test('the ID of another organization in the data of a call stops neither the call nor its batch', async () => {
  const text = second.orgId;
  const hostile = {
    end_user: { external_id: text },
    conversation: { key: text },
    metadata: { text },
    message: text,
  };
  const answers = await Promise.all([
    start(first, hostile),
    start(first),
    start(first, { end_user: { external_id: 'crm-1', name: text } }),
  ]);
  expect(answers.map(({ status, text: body }) => (status < 300 ? 'accepted' : body))).toEqual([
    'accepted',
    'accepted',
    'accepted',
  ]);
  expect(await rowsIn('cell_2', 'run')).toEqual([second.orgId]);
});

test('rows of two cells in one statement are refused', async () => {
  const row = (orgId: string) => ({ orgId, digest: Buffer.from('x'), consent: {}, blocked: false, generation: 0 });
  await expect(db.insert(suppression).values([row(first.orgId), row(second.orgId)])).rejects.toMatchObject({
    cause: { message: expect.stringContaining('several cells') },
  });
});

test('after a rollback, a connection still reads the right cell', async () => {
  const one = openDb(parley.database.url, { max: 1 });
  const agentOf = async ({ orgId, agentId }: Tenant) =>
    (await one.execute(sql`SELECT id FROM agent WHERE org_id = ${orgId} AND id = ${agentId}`)).rows;
  try {
    expect(await agentOf(first)).toHaveLength(1);
    await one
      .transaction(async (tx) => {
        await tx.execute(sql`SELECT id FROM agent WHERE org_id = ${second.orgId}`);
        throw new Error('undone');
      })
      .catch(() => {});
    expect(await agentOf(second)).toHaveLength(1);
    expect(await agentOf(first)).toHaveLength(1);
    await one.transaction(async (tx) => {
      await tx.execute(sql`SELECT id FROM agent WHERE org_id = ${second.orgId}`);
      await tx
        .transaction(async (inner) => {
          await inner.execute(sql`SELECT id FROM agent WHERE org_id = ${first.orgId}`);
          throw new Error('undone');
        })
        .catch(() => {});
      const { rows } = await tx.execute(sql`SELECT id FROM agent WHERE org_id = ${second.orgId}`);
      expect(rows).toEqual([{ id: second.agentId }]);
    });
  } finally {
    await one.$client.end();
  }
});

test('a revoked key of another cell is refused as soon as the revoke is confirmed', async () => {
  const { id, value } = await parley.key(second.orgId);
  expect((await start({ ...second, key: value })).status).toBeLessThan(300);
  await raw.query('UPDATE cell_2.api_key SET revoke_at = now() WHERE id = $1', [id]);
  await expect
    .poll(async () => (await raw.query('SELECT 1 FROM cell_2.api_key WHERE effective_at IS NOT NULL')).rowCount)
    .toBe(1);
  expect((await start({ ...second, key: value })).status).toBe(401);
});

test('a cell has all tables except those of the region, and no table of the region references a cell', async () => {
  const tables = async (schema: string): Promise<string[]> => {
    const { rows } = await raw.query<{ name: string }>(
      `SELECT relname AS name FROM pg_class WHERE relnamespace = $1::regnamespace AND relkind = 'r' ORDER BY 1`,
      [schema],
    );
    return rows.map(({ name }) => name);
  };
  const all = await tables('public');
  expect(await tables('cell_2')).toEqual(all.filter((name) => !REGION_TABLES.includes(name)));
  expect(REGION_TABLES.filter((name) => !all.includes(name))).toEqual([]);
  const { rows } = await raw.query(
    `SELECT conname FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_class p ON p.oid = k.confrelid
     WHERE k.contype = 'f' AND c.relname = ANY ($1) AND p.relname <> ALL ($1)`,
    [REGION_TABLES],
  );
  expect(rows).toEqual([]);
});

test('a cell has the columns, indexes, constraints and triggers of the first one', async () => {
  const shape = async (schema: string): Promise<string[]> => {
    const { rows } = await raw.query<{ line: string }>(
      `WITH t AS (SELECT oid, relname FROM pg_class WHERE relnamespace = $1::regnamespace AND relkind = 'r'
          AND relname <> ALL ($2))
        SELECT replace(line, $1 || '.', '') AS line FROM (
          SELECT format('%s %s %s %s %s', t.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull,
            pg_get_expr(d.adbin, d.adrelid)) AS line FROM t JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0
            AND NOT a.attisdropped LEFT JOIN pg_attrdef d ON d.adrelid = t.oid AND d.adnum = a.attnum
          UNION ALL SELECT pg_get_indexdef(i.indexrelid) FROM t JOIN pg_index i ON i.indrelid = t.oid
          UNION ALL SELECT t.relname || ' ' || k.conname || ' ' || pg_get_constraintdef(k.oid) FROM t
            JOIN pg_constraint k ON k.conrelid = t.oid
          UNION ALL SELECT pg_get_triggerdef(g.oid) FROM t JOIN pg_trigger g ON g.tgrelid = t.oid AND NOT g.tgisinternal
          UNION ALL SELECT t.relname || ' ' || c.relpersistence::text || ' ' || coalesce(array_to_string(c.reloptions, ','), '')
            FROM t JOIN pg_class c ON c.oid = t.oid) l ORDER BY 1`,
      [schema, REGION_TABLES],
    );
    return rows.map(({ line }) => line.replaceAll('public.', ''));
  };
  const expected = await shape('public');
  expect(expected.length).toBeGreaterThan(1_000);
  expect(await shape('cell_2')).toEqual(expected);
});

test('the migration of a cell continues where it was interrupted', async () => {
  const { rows } = await raw.query<{ at: string }>('SELECT schema_at AS at FROM cell');
  const { rows: applied } = await raw.query<{ at: string }>(
    'SELECT max(created_at) AS at FROM drizzle.__drizzle_migrations',
  );
  expect(rows).toEqual(applied);
  await raw.query('UPDATE cell SET schema_at = (SELECT max(created_at) - 1 FROM drizzle.__drizzle_migrations)');
  await migrate(parley.database.url);
  expect((await raw.query('SELECT schema_at AS at FROM cell')).rows).toEqual(applied);
});

test('a backup has the rows of all cells, and a restore loads them into one', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-cells-'));
  const file = path.join(folder, 'backup');
  const target = await createTestDatabase();
  try {
    await backup(parley.database.url, file);
    expect(existsSync(file)).toBe(true);
    // As a new installation on Citus, whose cells are made at the first start.
    await addCells(target.url, 1);
    await restore(target.url, file, { keepKeys: true, resume: true });
    const client = new pg.Client({ connectionString: target.url });
    await client.connect();
    const { rows } = await client.query('SELECT DISTINCT org_id FROM run ORDER BY 1');
    const homes = await client.query('SELECT DISTINCT cell FROM organization');
    await client.end();
    expect(rows.map((row: { org_id: string }) => row.org_id)).toEqual([first.orgId, second.orgId].sort());
    expect(homes.rows).toEqual([{ cell: 'public' }]);
  } finally {
    rmSync(folder, { recursive: true });
    await target.drop();
  }
});

test('a cell that hangs cannot use the connections of other cells, and its calls are refused', async () => {
  const few = openDb(parley.database.url, { max: 4 });
  const lock = new pg.Client({ connectionString: parley.database.url });
  await lock.connect();
  const agentOf = ({ orgId }: Tenant) => few.execute(sql`SELECT id FROM agent WHERE org_id = ${orgId}`);
  try {
    await agentOf(first);
    await lock.query('BEGIN');
    await lock.query('LOCK TABLE cell_2.agent');
    let refused = 0;
    const waiting = Array.from({ length: 12 }, () => agentOf(second).catch(() => void refused++));
    const answers = await Promise.all(Array.from({ length: 12 }, () => agentOf(first)));
    expect(answers.every(({ rows }) => rows.length === 1)).toBe(true);
    // Two of the four connections wait for the cell.
    await expect.poll(() => refused).toBe(10);
    await expect(agentOf(second)).rejects.toMatchObject({ cause: { code: 'unavailable' } });
    await lock.query('ROLLBACK');
    await Promise.all(waiting);
    expect(refused).toBe(10);
    expect((await agentOf(second)).rows).toHaveLength(1);
  } finally {
    await lock.end();
    await few.$client.end();
  }
});

test('a change in a hanging cell is refused and does not hold the lock of the change log', async () => {
  const own = openDb(parley.database.url);
  const lock = new pg.Client({ connectionString: parley.database.url });
  await lock.connect();
  try {
    await own.execute(sql`SELECT id FROM agent WHERE org_id = ${second.orgId}`);
    const { rows } = await lock.query<{ name: string }>(
      `SELECT format('%I', relname) AS name FROM pg_class WHERE relnamespace = 'cell_2'::regnamespace AND relkind = 'r'`,
    );
    // The program also locks these tables, in other orders.
    await retryWhile(isDeadlock, 10, async () => {
      await lock.query('ROLLBACK');
      await lock.query('BEGIN');
      await lock.query(`LOCK TABLE ${rows.map(({ name }) => `cell_2.${name}`).join(', ')}`);
    });
    // The cell answered a moment ago, which is not sufficient for a change.
    const early = insistOnAnswer(own, second.orgId, 'change').catch(({ code }) => code);
    const waiting = own.$client.query('SELECT id FROM agent WHERE org_id = $1', [second.orgId]);
    await expect.poll(() => own.$client.slots.hangs('cell_2'), { timeout: 20_000 }).toBe(true);
    const change = own.transaction(async (tx) => {
      await takePlaces(tx, [{ kind: 'agent', id: second.agentId }]);
      await tx.execute(sql`UPDATE agent SET enabled = true WHERE org_id = ${second.orgId}`);
    });
    await expect(change).rejects.toMatchObject({ cause: { code: 'unavailable' } });
    await expect(insistOnAnswer(own, second.orgId, 'change')).rejects.toMatchObject({ code: 'unavailable' });
    await insistOnAnswer(own, first.orgId, 'change');
    expect((await start(first)).status).toBe(200);
    const runs = [first, second].map(({ orgId }) => ({ orgId, runId: 'run_1' }));
    expect(await readRunProgress(own, runs)).toEqual([]);
    expect(await early).toBe('unavailable');
    await lock.query('ROLLBACK');
    expect((await waiting).rows).toHaveLength(1);
  } finally {
    await lock.end();
    await own.$client.end();
  }
});

test('a cell whose node cannot be reached gets one statement after a pause, until one of them succeeds', async () => {
  await raw.query(`CREATE FUNCTION lose_node() RETURNS void LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'connection to the remote node failed' USING ERRCODE = 'connection_failure'; END $$`);
  const own = openDb(parley.database.url);
  const agentOf = ({ orgId }: Tenant) => own.execute(sql`SELECT id FROM agent WHERE org_id = ${orgId}`);
  try {
    await agentOf(second);
    await expect(own.execute(sql`SELECT lose_node() FROM agent WHERE org_id = ${second.orgId}`)).rejects.toThrow(
      'Failed query',
    );
    const lookUp = vi.spyOn(own.$client.directory, 'read');
    const refused = own.transaction((tx) => tx.execute(sql`SELECT id FROM agent WHERE org_id = ${second.orgId}`));
    await expect(refused).rejects.toMatchObject({ cause: { code: 'unavailable' } });
    expect(lookUp).not.toHaveBeenCalled();
    await expect.poll(() => own.$client.slots.hasRoom('cell_2'), { timeout: 10_000 }).toBe(true);
    const trial = own.$client.query('SELECT pg_sleep(0.5) FROM agent WHERE org_id = $1', [second.orgId]);
    await expect.poll(() => own.$client.slots.hangs('cell_2')).toBe(true);
    await expect(agentOf(second)).rejects.toMatchObject({ cause: { code: 'unavailable' } });
    expect((await agentOf(first)).rows).toHaveLength(1);
    await trial;
    const all = await Promise.all([agentOf(second), agentOf(second)]);
    expect(all.map(({ rows }) => rows.length)).toEqual([1, 1]);
  } finally {
    await own.$client.end();
    await raw.query('DROP FUNCTION lose_node');
  }
});

test('after a timeout the connection is closed, so that the next user does not wait for its statement', async () => {
  let pid = 0;
  const slow = db.transaction(async (tx) => {
    const { rows } = await tx.execute<{ pid: number }>(
      sql`SELECT pg_backend_pid() AS pid, set_config('statement_timeout', '50', true)`,
    );
    pid = rows[0]!.pid;
    await tx.execute(sql`SELECT pg_sleep(30)`);
  });
  await expect(slow).rejects.toThrow('Failed query');
  await expect
    .poll(async () => (await raw.query('SELECT FROM pg_stat_activity WHERE pid = $1', [pid])).rowCount)
    .toBe(0);
});

test('a user who waits for the only connection gets a new one after a timeout', async () => {
  const own = openDb(parley.database.url, { max: 1 });
  try {
    const slow = own.transaction(async (tx) => {
      await tx.execute(sql`SELECT set_config('statement_timeout', '50', true)`);
      await tx.execute(sql`SELECT pg_sleep(30)`);
    });
    const next = own.execute(sql`SELECT 1 AS one`);
    await expect(slow).rejects.toThrow('Failed query');
    expect((await next).rows).toEqual([{ one: 1 }]);
  } finally {
    await own.$client.end();
  }
});

test('a new cell is used when every running process knows it', async () => {
  await raw.query(`INSERT INTO installation (region, secret_check) VALUES ('us', '')`);
  await raw.query(`INSERT INTO running_process (id, secret_generation) VALUES ('node_other', 0)`);
  await addCells(parley.database.url, 1);
  const early = await insertOrganization(db, { name: 'Early', plan: 'paid' });
  await raw.query(`UPDATE running_process SET seen_at = now() - interval '16 seconds' WHERE id = 'node_other'`);
  await expect
    .poll(async () => {
      const { rows } = await raw.query(
        `SELECT 1 FROM running_process p, installation i WHERE p.cells_version < i.cells_version AND p.id <> 'node_other'`,
      );
      return rows.length;
    })
    .toBe(0);
  const third = await tenant();
  expect((await listCells(db)).map(({ cell, organizations }) => [cell, organizations.includes(third.orgId)])).toEqual([
    ['public', false],
    ['cell_2', false],
    ['cell_3', true],
  ]);
  expect((await listCells(db))[0]!.organizations).toContain(early.id);
  expect((await start(third)).status).toBeLessThan(300);
  await expect
    .poll(async () => (await raw.query('SELECT 1 FROM cell_3.run WHERE turns > 0')).rowCount)
    .toBeGreaterThan(0);
  await raw.query(`DELETE FROM running_process WHERE id = 'node_other'`);
});

test('a new organization gets the emptiest cell, even if a process does not know the newest move', async () => {
  await raw.query(
    `INSERT INTO running_process (id, secret_generation, cells_version) SELECT 'node_late', 0, cells_version FROM installation`,
  );
  await raw.query('UPDATE installation SET cells_version = cells_version + 1');
  const { id } = await insertOrganization(db, { name: 'Late', plan: 'paid' });
  await raw.query(`DELETE FROM running_process WHERE id = 'node_late'`);
  const home = (await listCells(db)).find(({ organizations }) => organizations.includes(id));
  expect(home!.cell).toBe('cell_2');
});
