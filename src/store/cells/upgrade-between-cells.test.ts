/**
 * A rolling upgrade is interrupted between two cells. The next version is a copy of this program with one migration more.
 *
 * @module-tag long
 */
import { randomBytes } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/app.ts';
import { givenAgent, givenTrigger } from '../../../test/factories.ts';
import { createTestDatabase, type TestDatabase } from '../../../test/postgres.ts';
import { freePort, runProgram } from '../../../test/program.ts';
import { ownFile } from '../../kernel/own-files.ts';
import { addCells } from '../migrate.ts';
import { insertOrganization } from '../organizations/organizations.ts';

const CELLS = ['cell_2', 'cell_3', 'public'];
/** The migration waits for this lock when it comes to the last cell. */
const LOCK = 4_711;
const MIGRATION = `DO $$ BEGIN IF current_schema() = 'cell_3' THEN PERFORM pg_advisory_xact_lock(${LOCK}); END IF; END $$;
--> statement-breakpoint
ALTER TABLE "conversation" ADD COLUMN "next_note" text DEFAULT 'new' NOT NULL;
--> statement-breakpoint
CREATE INDEX "conversation_next_note" ON "conversation" ("org_id","next_note") WHERE "next_note" <> 'new';`;

type Tenant = { orgId: string; path: string; key: string };
let database: TestDatabase;
let old: TestApp;
let raw: pg.Client;
let next: { folder: string; when: number };
let env: Record<string, string>;
const tenants: Tenant[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  await addCells(database.url, CELLS.length - 1);
  raw = new pg.Client({ connectionString: database.url });
  await raw.connect();
  env = { DATABASE_URL: database.url, PARLEY_SECRET: randomBytes(48).toString('base64'), PORT: `${await freePort()}` };
  old = await startTestApp({ PARLEY_SECRET: env.PARLEY_SECRET! }, { database });
  for (const _ of CELLS) tenants.push(await tenant());
  next = nextVersion();
});
afterAll(async () => {
  await raw?.end();
  await old?.stop();
  await database?.drop();
  if (next) rmSync(next.folder, { recursive: true, force: true });
});

/** Each new organization is created in the cell with the fewest. */
async function tenant(): Promise<Tenant> {
  const { id: orgId } = await insertOrganization(old.db, { name: 'Test', plan: 'paid' });
  const { agentId } = await givenAgent(old.db, orgId);
  const triggerId = await givenTrigger(old.db, orgId, agentId);
  return { orgId, path: `/api/triggers/${agentId}/${triggerId}`, key: (await old.key(orgId)).value };
}

function nextVersion(): typeof next {
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-next-version-'));
  cpSync(ownFile('dist'), folder, { recursive: true });
  symlinkSync(ownFile('node_modules'), path.join(folder, 'node_modules'));
  const file = path.join(folder, 'migrations/meta/_journal.json');
  const journal = JSON.parse(readFileSync(file, 'utf8')) as { entries: { idx: number; when: number; tag: string }[] };
  const last = journal.entries.at(-1)!;
  const when = last.when + 1;
  journal.entries.push({ ...last, idx: last.idx + 1, when, tag: 'next_note' });
  writeFileSync(file, JSON.stringify(journal));
  writeFileSync(path.join(folder, 'migrations/next_note.sql'), MIGRATION);
  return { folder, when };
}

/** A call in each cell is accepted by this process and answered by any worker. */
async function allCellsAnswer(origin: string): Promise<void> {
  for (const { path: to, key } of tenants) {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', prefer: 'wait=20' };
    const answer = await fetch(origin + to, { method: 'POST', headers, body: '{"message":"Hello"}' });
    expect([answer.status, ((await answer.json()) as { outcome: string }).outcome]).toEqual([200, 'answered']);
  }
}

const migrated = async (): Promise<string[]> =>
  (
    await raw.query<{ cell: string }>(
      `SELECT table_schema AS cell FROM information_schema.columns WHERE column_name = 'next_note' ORDER BY 1`,
    )
  ).rows.map(({ cell }) => cell);

test('cells of both versions work during an interrupted upgrade, which then continues', async () => {
  const homes = await raw.query('SELECT cell FROM organization ORDER BY cell');
  expect(homes.rows.map(({ cell }) => cell)).toEqual(CELLS);
  await allCellsAnswer(old.url);
  const built = path.join(next.folder, 'parley.js');

  await raw.query('SELECT pg_advisory_lock($1)', [LOCK]);
  const interrupted = runProgram(env, ['serve'], built);
  await expect.poll(migrated, { timeout: 60_000 }).toEqual(['cell_2', 'public']);
  await allCellsAnswer(old.url);
  await interrupted.stop('SIGKILL');
  await raw.query('SELECT pg_advisory_unlock($1)', [LOCK]);
  await allCellsAnswer(old.url);
  expect(await migrated()).toEqual(['cell_2', 'public']);

  const upgraded = runProgram(env, ['serve'], built);
  try {
    await upgraded.printed('is ready at');
    expect(await migrated()).toEqual(CELLS);
    const { rows } = await raw.query<{ at: string }>('SELECT DISTINCT schema_at AS at FROM cell');
    expect(rows.map(({ at }) => Number(at))).toEqual([next.when]);
    await allCellsAnswer(old.url);
    await allCellsAnswer(upgraded.url);
  } finally {
    await upgraded.stop();
  }
}, 240_000);
