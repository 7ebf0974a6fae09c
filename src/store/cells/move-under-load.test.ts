/**
 * Kills the command that moves an organization at each of its steps, while two servers accept calls.
 *
 * @module-tag long
 */
import { spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/app.ts';
import { givenAgent, givenTrigger } from '../../../test/factories.ts';
import { createTestDatabase, type TestDatabase } from '../../../test/postgres.ts';
import { freePort, type Program, runProgram } from '../../../test/program.ts';
import { ownFile } from '../../kernel/own-files.ts';
import { addCells } from '../migrate.ts';
import { insertOrganization } from '../organizations/organizations.ts';

const MAIN = ownFile('dist/src/main.js');
const STEPS = ['close', 'drain', 'lock', 'copy', 'delete', 'commit', 'moved'];
const CALLERS = 4;

type Tenant = { orgId: string; agentId: string; triggerId: string; key: string };
type Load = { accepted: string[]; refused: number };
let database: TestDatabase;
let parley: TestApp;
let second: Program;
let raw: pg.Client;
let moving: Tenant;
let staying: Tenant;
let env: Record<string, string>;
let isOver = false;

beforeAll(async () => {
  database = await createTestDatabase();
  await addCells(database.url, 1);
  raw = new pg.Client({ connectionString: database.url });
  await raw.connect();
  env = { DATABASE_URL: database.url, PARLEY_SECRET: randomBytes(48).toString('base64'), PORT: `${await freePort()}` };
  second = runProgram(env);
  await second.printed('is ready at');
  parley = await startTestApp({ PARLEY_SECRET: env.PARLEY_SECRET! }, { database });
  moving = await tenant();
  staying = await tenant();
});
afterAll(async () => {
  isOver = true;
  await raw.end();
  await parley.stop();
  await second.stop();
  await database.drop();
});

async function tenant(): Promise<Tenant> {
  const { id: orgId } = await insertOrganization(parley.db, { name: 'Test', plan: 'paid' });
  const { agentId } = await givenAgent(parley.db, orgId);
  const triggerId = await givenTrigger(parley.db, orgId, agentId);
  return { orgId, agentId, triggerId, key: (await parley.key(orgId)).value };
}

/** Repeats a call with its Idempotency-Key until it is accepted. */
async function callOnce({ agentId, triggerId, key }: Tenant, origin: string, load: Load): Promise<void> {
  const idempotency = randomUUID();
  for (;;) {
    const answer = await fetch(`${origin}/api/triggers/${agentId}/${triggerId}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'idempotency-key': idempotency },
      body: '{"message":"Hello"}',
    });
    const body = (await answer.json()) as { id: string; code: string };
    if (answer.status === 202) {
      load.accepted.push(body.id);
      return;
    }
    if (answer.status !== 429) {
      expect([answer.status, body.code]).toEqual([503, 'unavailable']);
      load.refused++;
    }
    await pause(100);
  }
}

const callers = (one: Tenant, load: Load): Promise<void>[] =>
  Array.from({ length: CALLERS }, async (_, index) => {
    for (; !isOver; await pause(20)) await callOnce(one, index % 2 ? parley.url : second.url, load);
  });

/** Runs the command and kills it when it begins this step. Null: lets it end. Returns its output. */
async function move(to: string, killedAt: string | null): Promise<string> {
  const command = spawn(process.execPath, [MAIN, 'move-organization', moving.orgId, to], { env });
  let output = '';
  const read = (chunk: Buffer): void => {
    output += chunk.toString();
    if (killedAt !== null && output.includes(`: ${killedAt}\n`)) command.kill('SIGKILL');
  };
  command.stdout.on('data', read);
  command.stderr.on('data', read);
  await once(command, 'close');
  return output;
}

const cellOf = async (): Promise<string> =>
  (await raw.query<{ cell: string }>('SELECT cell FROM organization WHERE id = $1', [moving.orgId])).rows[0]!.cell;
const rowsOf = async (cell: string, table: string): Promise<{ id: string; run_id: string; role: string }[]> =>
  (await raw.query(`SELECT * FROM ${cell}.${table} WHERE org_id = $1`, [moving.orgId])).rows as never;

test('no accepted call is lost or doubled when the move is killed at any step', async () => {
  const load: Load = { accepted: [], refused: 0 };
  const others: Load = { accepted: [], refused: 0 };
  const all = [...callers(moving, load), ...callers(staying, others)];
  for (const step of STEPS) {
    const from = await cellOf();
    const to = from === 'public' ? 'cell_2' : 'public';
    await move(to, step);
    expect([from, to]).toContain(await cellOf());
    // The killed command leaves its lock for as long as the database needs to notice.
    await expect.poll(() => move(to, null), { timeout: 60_000 }).toContain('paused_ms');
    expect(await cellOf()).toBe(to);
  }
  const before = load.accepted.length;
  // The callers may have used up the calls of a minute.
  await expect.poll(() => load.accepted.length, { timeout: 90_000 }).toBeGreaterThan(before + 5);
  isOver = true;
  await Promise.all(all);
  const cell = await cellOf();
  const other = cell === 'public' ? 'cell_2' : 'public';
  for (const table of ['run', 'message', 'conversation', 'end_user', 'api_key', 'idempotency'])
    expect(await rowsOf(other, table), table).toEqual([]);
  const runs = (await rowsOf(cell, 'run')).map(({ id }) => id);
  expect(new Set(load.accepted).size).toBe(load.accepted.length);
  expect(runs.toSorted()).toEqual(load.accepted.toSorted());
  const answered = async (): Promise<Map<string, number>> => {
    const answers = (await rowsOf(cell, 'message')).filter(({ role }) => role === 'agent');
    return new Map(
      Map.groupBy(answers, ({ run_id }) => run_id)
        .entries()
        .map(([id, rows]) => [id, rows.length]),
    );
  };
  await expect.poll(async () => (await answered()).size, { timeout: 60_000 }).toBe(runs.length);
  expect([...(await answered()).values()].every((count) => count === 1)).toBe(true);
  expect(others.refused).toBe(0);
}, 300_000);
