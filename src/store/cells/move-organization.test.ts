import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/app.ts';
import { givenAgent, givenTrigger } from '../../../test/factories.ts';
import { createTestDatabase } from '../../../test/postgres.ts';
import { checkOf } from '../../app/load-secrets.ts';
import { backup } from '../backup/backup.ts';
import { findInboundChannels } from '../inbound/find-receiver.ts';
import { openDb } from '../db.ts';
import { addCells } from '../migrate.ts';
import { insertOrganization } from '../organizations/organizations.ts';
import { foundByCell } from './by-cell.ts';
import { findCell } from './find-cell.ts';
import { moveAll } from './move-all.ts';
import { moveOrganization } from './move-organization.ts';
import { removeStraysOfKilledMoves } from './remove-strays.ts';

const ENV = { PARLEY_SECRET: randomBytes(48).toString('base64') };

/** A command that waits for a lock. */
const WAITING = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'parley cells' AND wait_event_type = 'Lock'`;

type Tenant = { orgId: string; agentId: string; triggerId: string; key: string };
let parley: TestApp;
let raw: pg.Client;
let one: Tenant;
let other: Tenant;

beforeAll(async () => {
  const database = await createTestDatabase();
  await addCells(database.url, 1);
  raw = new pg.Client({ connectionString: database.url });
  await raw.connect();
  parley = await startTestApp(ENV, { database });
  const check = checkOf(ENV.PARLEY_SECRET);
  await raw.query(`INSERT INTO installation (region, secret_check) VALUES ('us', $1)`, [check]);
  one = await tenant();
  other = await tenant();
});
afterAll(async () => {
  await raw.end();
  await parley.stop();
});

async function tenant(): Promise<Tenant> {
  const { id: orgId } = await insertOrganization(parley.db, { name: 'Test', plan: 'paid' });
  const { agentId } = await givenAgent(parley.db, orgId);
  const triggerId = await givenTrigger(parley.db, orgId, agentId);
  return { orgId, agentId, triggerId, key: (await parley.key(orgId)).value };
}

const start = ({ agentId, triggerId, key }: Tenant, headers: Record<string, string> = {}) =>
  parley.call('POST', `/api/triggers/${agentId}/${triggerId}`, { key, body: {}, headers });
const cellOf = async ({ orgId }: Tenant): Promise<string> =>
  (await raw.query<{ cell: string }>('SELECT cell FROM organization WHERE id = $1', [orgId])).rows[0]!.cell;
/** The rows of an organization in all tables of a cell, as text. */
async function rowsIn(cell: string, { orgId }: Tenant): Promise<string[]> {
  const { rows: tables } = await raw.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = 'cell_2'::regnamespace AND relkind = 'r'
       AND relname <> ALL ('{key_usage,request_log}') ORDER BY 1`,
  );
  const all: string[] = [];
  for (const { name } of tables) {
    const { rows } = await raw.query<{ row: string }>(
      `SELECT t::text AS row FROM ${cell}."${name}" t WHERE org_id = $1 ORDER BY 1`,
      [orgId],
    );
    all.push(...rows.map(({ row }) => `${name} ${row}`));
  }
  return all;
}

test('a move takes every row to the other cell, unchanged, and back', async () => {
  expect((await start(one, { prefer: 'wait=10' })).status).toBe(200);
  expect(await cellOf(one)).toBe('public');
  const before = await rowsIn('public', one);
  const others = await rowsIn('cell_2', other);
  expect(before.length).toBeGreaterThan(7);
  const moved = await moveOrganization(parley.database.url, one.orgId, 'cell_2');
  expect(moved).toMatchObject({ from: 'public', to: 'cell_2' });
  expect(await cellOf(one)).toBe('cell_2');
  expect(await rowsIn('public', one)).toEqual([]);
  expect(await rowsIn('cell_2', one)).toEqual(before);
  expect(await rowsIn('cell_2', other)).toEqual(others);
  expect((await start(one, { prefer: 'wait=10' })).status).toBe(200);
  await moveOrganization(parley.database.url, one.orgId, 'public');
  expect(await rowsIn('cell_2', one)).toEqual([]);
  expect((await start(one, { prefer: 'wait=10' })).status).toBe(200);
});

test('during a move, calls of the organization get 503 with Retry-After, and calls of others are accepted', async () => {
  const statuses: number[] = [];
  await moveOrganization(parley.database.url, one.orgId, 'cell_2', async (step) => {
    if (step === 'close') return;
    if (step === 'moved') return;
    const refused = await start(one);
    expect([refused.status, refused.body.code, refused.headers.get('retry-after')]).toEqual([503, 'unavailable', '1']);
    statuses.push((await start(other)).status);
  });
  expect(statuses).toEqual([202, 202, 202, 202, 202]);
  expect((await start(one)).status).toBe(202);
});

test.each(['close', 'drain', 'lock', 'copy', 'delete', 'commit'])(
  'a move that fails at the step %s changes nothing, and the organization is open again',
  async (failing) => {
    const from = await cellOf(one);
    const to = from === 'public' ? 'cell_2' : 'public';
    const before = await rowsIn(from, one);
    const move = moveOrganization(parley.database.url, one.orgId, to, (step) => {
      if (step === failing) throw new Error('killed');
    });
    await expect(move).rejects.toThrow('killed');
    expect(await cellOf(one)).toBe(from);
    expect(await rowsIn(to, one)).toEqual([]);
    expect((await rowsIn(from, one)).length).toBeGreaterThanOrEqual(before.length);
    await expect.poll(async () => (await start(one)).status).toBe(202);
  },
);

test('rows that change after they were copied are the same in the new cell', async () => {
  const from = await cellOf(one);
  const to = from === 'public' ? 'cell_2' : 'public';
  expect((await start(one, { prefer: 'wait=10' })).status).toBe(200);
  await raw.query(
    `INSERT INTO ${from}.end_user (org_id, id, name) VALUES ($1, 'enduser_x', 'Bo'), ($1, 'enduser_y', 'Di')`,
    [one.orgId],
  );
  let before: string[] = [];
  await moveOrganization(parley.database.url, one.orgId, to, async (step) => {
    if (step === 'lock') before = await rowsIn(from, one);
    if (step !== 'close') return;
    expect((await rowsIn(to, one)).join()).toContain('enduser_x');
    await raw.query(`DELETE FROM ${from}.end_user WHERE id = 'enduser_x'`);
    await raw.query(`UPDATE ${from}.end_user SET name = 'Dia' WHERE id = 'enduser_y'`);
    await raw.query(`UPDATE ${from}.conversation SET status = 'handed_off' WHERE org_id = $1`, [one.orgId]);
    await raw.query(`DELETE FROM ${from}.hand_off WHERE org_id = $1`, [one.orgId]);
    expect((await start(one)).status).toBe(202);
  });
  expect(before.join()).toContain('Dia');
  expect(before.join()).not.toContain('enduser_x');
  expect(await rowsIn(to, one)).toEqual(before);
  expect(await rowsIn(from, one)).toEqual([]);
});

test('recipients are copied before a move, and no worker of the other cell finds their campaign', async () => {
  const from = await cellOf(one);
  const to = from === 'public' ? 'cell_2' : 'public';
  const inOld = (text: string) => raw.query(text.replaceAll('old.', `${from}.`), [one.orgId]);
  await inOld(`INSERT INTO old.end_user (org_id, id) SELECT $1, 'enduser_r' || n FROM generate_series(1, 4) n`);
  await inOld(`INSERT INTO old.campaign (org_id, id, agent_id, channel_id, name, state, settings, attended)
    SELECT $1, 'campaign_r', agent_id, id, 'R', 'live', '{}', true FROM old.channel WHERE org_id = $1 LIMIT 1`);
  await inOld(`INSERT INTO old.run (org_id, id, status, input, conversation_id)
    SELECT $1, 'run_r' || n, 'running', '{}', (SELECT max(id) FROM old.conversation WHERE org_id = $1)
    FROM generate_series(2, 3) n`);
  await inOld(`INSERT INTO old.recipient (org_id, campaign_id, id, end_user_id, enrolment, status, variables, run_id)
    SELECT $1, 'campaign_r', 'recipient_' || n, 'enduser_r' || n, 0, 'sending', '{}', CASE WHEN n IN (2, 3) THEN 'run_r' || n END
    FROM generate_series(1, 4) n`);
  await inOld(`UPDATE old.recipient SET due_at = now() + interval '1 day' WHERE id = 'recipient_4' AND org_id = $1`);
  const recipients = (rows: readonly string[]) => rows.filter((row) => row.startsWith('recipient '));
  let before: string[] = [];
  await moveOrganization(parley.database.url, one.orgId, to, async (step) => {
    if (step === 'lock') before = await rowsIn(from, one);
    if (step !== 'close') return;
    expect(recipients(await rowsIn(to, one)).length).toBe(3);
    expect((await raw.query(`SELECT attended FROM ${to}.campaign WHERE id = 'campaign_r'`)).rows).toEqual([
      { attended: false },
    ]);
    await inOld(`DELETE FROM old.recipient WHERE id = 'recipient_1' AND org_id = $1`);
    // A trigger changes the recipient of a run in the old cell, and later the copy.
    await inOld(`UPDATE old.run SET status = 'failed', reason = 'x' WHERE id = 'run_r3' AND org_id = $1`);
    await raw.query(`ALTER TABLE ${from}.run DISABLE TRIGGER recipient_follows_run`);
    await inOld(`UPDATE old.run SET status = 'failed', reason = 'x' WHERE id = 'run_r2' AND org_id = $1`);
    await raw.query(`ALTER TABLE ${from}.run ENABLE TRIGGER recipient_follows_run`);
    await inOld(`UPDATE old.recipient SET reason = 'y' WHERE id = 'recipient_3' AND org_id = $1`);
  });
  expect(recipients(before).map((row) => /recipient_\d/.exec(row)![0])).toEqual([
    'recipient_2',
    'recipient_3',
    'recipient_4',
  ]);
  expect(before.join()).toContain('failed,y');
  expect(await rowsIn(to, one)).toEqual(before);
  expect(await rowsIn(from, one)).toEqual([]);
});

test('a row that was copied early and changes in the old cell after the copy ends the move', async () => {
  const from = await cellOf(one);
  const to = from === 'public' ? 'cell_2' : 'public';
  const move = moveOrganization(parley.database.url, one.orgId, to, async (step) => {
    if (step === 'delete') await raw.query(`UPDATE ${from}.end_user SET name = 'Late' WHERE id = 'enduser_r1'`);
  });
  await expect(move).rejects.toThrow('Rows of end_user were changed');
  expect(await cellOf(one)).toBe(from);
  expect(await rowsIn(to, one)).toEqual([]);
});

test('a row that is copied before a move is in a backup once, and a provider’s webhook finds one channel', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-move-'));
  const file = path.join(folder, 'backup');
  const { rows } = await raw.query<{ id: string }>(
    'SELECT id FROM public.channel WHERE org_id = $1 UNION ALL SELECT id FROM cell_2.channel WHERE org_id = $1',
    [one.orgId],
  );
  const ids = rows.map(({ id }) => id);
  await moveOrganization(
    parley.database.url,
    one.orgId,
    (await cellOf(one)) === 'public' ? 'cell_2' : 'public',
    async (step) => {
      if (step !== 'close' && step !== 'moved') return;
      await backup(parley.database.url, file);
      const lines = gunzipSync(readFileSync(file)).toString().split('\n');
      rmSync(file);
      expect(new Set(lines).size).toBe(lines.length);
      await expect.poll(async () => (await findInboundChannels(parley.db, ids)).length).toBe(ids.length);
    },
  );
  rmSync(folder, { recursive: true });
});

test('a row that is added during a move ends the move, so that the row is not lost', async () => {
  const from = await cellOf(one);
  const to = from === 'public' ? 'cell_2' : 'public';
  const move = moveOrganization(parley.database.url, one.orgId, to, async (step) => {
    if (step === 'delete')
      await raw.query(
        `INSERT INTO ${from}.saved_reply (org_id, id, name, shortcut, text) VALUES ($1, 'x', 'x', 'x', '{}')`,
        [one.orgId],
      );
  });
  await expect(move).rejects.toMatchObject({
    name: 'StartError',
    message: 'Rows of saved_reply were added while the organization was moved.',
  });
  expect(await rowsIn(to, one)).toEqual([]);
  expect(await cellOf(one)).toBe(from);
});

test('a move whose closed time ended before its commit changes nothing', async () => {
  const from = await cellOf(one);
  const to = from === 'public' ? 'cell_2' : 'public';
  const move = moveOrganization(parley.database.url, one.orgId, to, async (step) => {
    if (step === 'commit') await raw.query(`UPDATE organization_move SET until = '-infinity'`);
  });
  await expect(move).rejects.toMatchObject({ name: 'StartError', fix: 'Nothing was changed. Try again.' });
  expect(await cellOf(one)).toBe(from);
  expect(await rowsIn(to, one)).toEqual([]);
});

test('a read of several organizations finds all of them while one of them is moved', async () => {
  const db = openDb(parley.database.url);
  const tenants = [one, other];
  const read = () =>
    foundByCell(
      db,
      tenants,
      ({ orgId }) => orgId,
      async (some) => {
        const ids = some.map(({ orgId }) => orgId);
        const text = 'SELECT org_id FROM agent WHERE org_id = ANY ($1)';
        return (await db.$client.query<{ org_id: string }>(text, [ids])).rows;
      },
    );
  await moveOrganization(parley.database.url, one.orgId, await cellOf(other));
  const found: string[][] = [];
  const note = async () => found.push((await read()).map((row) => row.org_id).toSorted());
  const to = (await cellOf(one)) === 'public' ? 'cell_2' : 'public';
  await moveOrganization(parley.database.url, one.orgId, to, async (step) => {
    if (step === 'close') await note();
    if (step === 'drain') await db.$client.pulseCells();
    // This pool does not know yet that the move has ended.
    if (step === 'drain' || step === 'moved') await note();
  });
  await db.$client.end();
  const both = tenants.map(({ orgId }) => orgId).toSorted();
  expect(found).toEqual([both, both, both]);
});

test('a move whose closed time ended in between changes nothing, although a later renewal would close again', async () => {
  const from = await cellOf(one);
  const to = from === 'public' ? 'cell_2' : 'public';
  const move = moveOrganization(parley.database.url, one.orgId, to, async (step) => {
    if (step !== 'copy') return;
    const past = await raw.query(`UPDATE organization_move SET until = '-infinity' RETURNING xmin`);
    const xmin = async () => (await raw.query('SELECT xmin FROM organization_move')).rows;
    // The next renewal.
    for (let tries = 0; tries < 30 && (await xmin())[0]?.xmin === past.rows[0]!.xmin; tries++) await pause(100);
  });
  await expect(move).rejects.toThrow('interrupted for too long');
  expect(await cellOf(one)).toBe(from);
  expect(await rowsIn(to, one)).toEqual([]);
});

test('a move waits for work that a worker claims while the organization is closed', async () => {
  const from = await cellOf(one);
  const to = from === 'public' ? 'cell_2' : 'public';
  await raw.query(
    `INSERT INTO ${from}.run (org_id, id, status, input, conversation_id, due_at)
     SELECT $1, 'run_claimed', 'queued', '{}', max(id), now() + interval '1 day' FROM ${from}.conversation WHERE org_id = $1`,
    [one.orgId],
  );
  const worker = new pg.Client({ connectionString: parley.database.url, application_name: 'worker' });
  await worker.connect();
  const set = (what: string) => worker.query(`UPDATE ${from}.run SET ${what} WHERE id = 'run_claimed'`);
  let isFinished = false;
  const finish = async () => {
    await pause(200);
    await worker.query('COMMIT');
    await pause(200);
    await set(`lease = NULL, due_at = NULL, status = 'completed'`);
    isFinished = true;
  };
  let finishing = Promise.resolve();
  let wasFinished = false;
  await moveOrganization(parley.database.url, one.orgId, to, async (step) => {
    if (step === 'lock') wasFinished = isFinished;
    if (step !== 'drain') return;
    await worker.query('BEGIN');
    await set(`lease = 'lease_x', due_at = now() + interval '30 s'`);
    finishing = finish();
  });
  await finishing;
  await worker.end();
  expect(wasFinished).toBe(true);
  expect((await raw.query(`SELECT status FROM ${to}.run WHERE id = 'run_claimed'`)).rows).toEqual([
    { status: 'completed' },
  ]);
});

test('a process that knows nothing of a move writes to the new cell', async () => {
  // No loop of the program reads the changes of cells in this pool, as in a suspended process.
  const suspended = openDb(parley.database.url);
  const insert = (id: string) =>
    suspended.$client.query(
      `INSERT INTO saved_reply (org_id, id, name, shortcut, text) VALUES ($1, $2, $2, $2, '{}')`,
      [one.orgId, id],
    );
  await insert('before');
  const from = await cellOf(one);
  const to = from === 'public' ? 'cell_2' : 'public';
  await moveOrganization(parley.database.url, one.orgId, to);
  const now = performance.now.bind(performance);
  const later = vi.spyOn(performance, 'now').mockImplementation(() => now() + 20_000);
  await insert('after').finally(() => later.mockRestore());
  await suspended.$client.end();
  expect((await rowsIn(from, one)).join()).not.toContain('after');
  expect((await rowsIn(to, one)).join()).toContain('after');
});

test('a statement that waits for its cell during a move runs in the new cell', async () => {
  const db = openDb(parley.database.url);
  await db.$client.query('SELECT 1');
  const from = await cellOf(one);
  const to = from === 'public' ? 'cell_2' : 'public';
  const [waits, hasRoom] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  vi.spyOn(db.$client.slots, 'room').mockImplementationOnce(() => {
    waits.resolve();
    return hasRoom.promise;
  });
  const inserted = db.$client.query(
    `INSERT INTO saved_reply (org_id, id, name, shortcut, text) VALUES ($1, 'late', 'late', 'late', '{}')`,
    [one.orgId],
  );
  await waits.promise;
  await moveOrganization(parley.database.url, one.orgId, to);
  await db.$client.pulseCells();
  hasRoom.resolve();
  await inserted;
  await db.$client.end();
  expect((await rowsIn(from, one)).join()).not.toContain('late');
  expect((await rowsIn(to, one)).join()).toContain('late');
});

test('a command says that the organization was moved if a process does not notice the move', async () => {
  const to = (await cellOf(one)) === 'public' ? 'cell_2' : 'public';
  let passed = 0;
  const now = performance.now.bind(performance);
  const move = moveOrganization(parley.database.url, one.orgId, to, async (step) => {
    if (step !== 'moved') return;
    await raw.query(`INSERT INTO running_process (id, secret_generation, cells_version) VALUES ('node_deaf', 1, 0)`);
    vi.spyOn(performance, 'now').mockImplementation(() => now() + (passed += 10_000));
  }).finally(() => void vi.restoreAllMocks());
  await expect(move).rejects.toThrow('The organization was moved');
  expect(await cellOf(one)).toBe(to);
  await raw.query(`DELETE FROM running_process WHERE id = 'node_deaf'`);
  await removeStraysOfKilledMoves(parley.db.$client, parley.database.url);
});

test('keys and entries of the audit log are not deleted in the cell of their organization', async () => {
  const cell = await cellOf(one);
  await raw.query(
    `INSERT INTO ${cell}.audit (org_id, id, actor, action, subject_id) VALUES ($1, 'audit_x', 'x', 'x', 'x')`,
    [one.orgId],
  );
  for (const table of ['api_key', 'audit'])
    await expect(raw.query(`DELETE FROM ${cell}.${table} WHERE org_id = $1`, [one.orgId])).rejects.toThrow(
      /never deleted|append-only/,
    );
});

test('a process deletes the rows that a killed move has left, but none during a move', async () => {
  const { url } = parley.database;
  const from = await cellOf(one);
  const to = from === 'public' ? 'cell_2' : 'public';
  await expect.poll(async () => (await start(one, { prefer: 'wait=10' })).status).toBe(200);
  const killed = moveOrganization(url, one.orgId, to, async (step) => {
    if (step === 'close') await removeStraysOfKilledMoves(parley.db.$client, url);
    if (step === 'moved') throw new Error('killed');
  });
  await expect(killed).rejects.toThrow('killed');
  expect(await cellOf(one)).toBe(to);
  expect((await rowsIn(from, one)).length).toBeGreaterThan(5);
  const moved = await rowsIn(to, one);
  const later = await startTestApp(ENV, { database: parley.database });
  await expect.poll(() => rowsIn(from, one)).toEqual([]);
  await later.stop();
  expect(await rowsIn(to, one)).toEqual(moved);
});

test('two moves at the same time, and unknown cells and organizations, are refused', async () => {
  const { url } = parley.database;
  let atOnce: unknown = null;
  await moveOrganization(url, one.orgId, (await cellOf(one)) === 'public' ? 'cell_2' : 'public', async (step) => {
    if (step === 'lock') atOnce = await moveOrganization(url, other.orgId, 'public').catch((error: unknown) => error);
  });
  expect(atOnce).toMatchObject({ message: expect.stringContaining('Another command') });
  await expect(moveOrganization(url, other.orgId, 'cell_9')).rejects.toThrow('no such cell');
  await expect(moveOrganization(url, 'org_none', 'public')).rejects.toThrow('no such organization');
});

test('all organizations leave the first cell, come back, and leave it again', async () => {
  const { url } = parley.database;
  const cells = async (): Promise<Set<string>> => new Set([await cellOf(one), await cellOf(other)]);
  const moved: string[] = [];
  await moveAll(url, parley.db, 'out of public', ({ organization }) => moved.push(organization));
  expect(await cells()).toEqual(new Set(['cell_2']));
  await moveAll(url, parley.db, 'to public', ({ organization }) => moved.push(organization));
  expect(await cells()).toEqual(new Set(['public']));
  expect(new Set(moved)).toEqual(new Set([one.orgId, other.orgId]));
  // The cell is not used until it is added again.
  await expect(moveAll(url, parley.db, 'out of public', () => {})).rejects.toThrow('no other cell');
  expect((await insertOrganization(parley.db, { name: 'New', plan: 'paid' })).id).toMatch(/^org_/);
  for (const tenant of [one, other]) await expect.poll(async () => (await start(tenant)).status).toBe(202);
  await addCells(url, 0);
  await moveAll(url, parley.db, 'out of public', () => {});
  expect(await cells()).toEqual(new Set(['cell_2']));
  for (const tenant of [one, other]) expect((await start(tenant, { prefer: 'wait=10' })).status).toBe(200);
});

test('cells are not closed during a move', async () => {
  const { url } = parley.database;
  await moveAll(url, parley.db, 'to public', () => {});
  await addCells(url, 0);
  let closing: unknown = null;
  await moveOrganization(url, one.orgId, 'cell_2', async (step) => {
    if (step === 'close')
      closing = await moveAll(url, parley.db, 'to public', () => {}).catch((error: unknown) => error);
  });
  expect(closing).toMatchObject({ message: expect.stringContaining('Another command') });
  const { rows } = await raw.query('SELECT ready FROM cell');
  expect(rows).toEqual([{ ready: true }]);
});

test('a cell is closed without the rows that a killed move has left', async () => {
  const { url } = parley.database;
  await moveAll(url, parley.db, 'to public', () => {});
  await addCells(url, 0);
  await raw.query(
    `INSERT INTO organization_move (organization_id, to_cell, until) VALUES ($1, 'cell_2', '-infinity')`,
    [one.orgId],
  );
  await raw.query(`INSERT INTO cell_2.end_user (org_id, id) VALUES ($1, 'enduser_stray')`, [one.orgId]);
  await moveAll(url, parley.db, 'to public', () => {});
  expect(await rowsIn('cell_2', one)).toEqual([]);
});

test('an organization that is created while cells are closed is not left in a closed cell', async () => {
  const { url } = parley.database;
  await addCells(url, 0);
  // The other cell has no organizations, so the new one is created there.
  await expect.poll(() => findCell(parley.db), { timeout: 20_000 }).toBe('cell_2');
  let closing: Promise<unknown> = Promise.resolve();
  const { id: orgId } = await parley.db.transaction(async (tx) => {
    expect(await findCell(tx)).toBe('cell_2');
    closing = moveAll(url, parley.db, 'to public', () => {});
    await expect.poll(async () => (await raw.query(WAITING)).rowCount).toBe(1);
    return insertOrganization(tx, { name: 'New', plan: 'paid' });
  });
  await closing;
  expect((await raw.query('SELECT cell FROM organization WHERE id = $1', [orgId])).rows).toEqual([{ cell: 'public' }]);
});
