import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../test/postgres.ts';
import { type Db, isUnreachable, openDb } from './db.ts';
import { planAndWrite } from './queue/plan-and-write.ts';

let database: TestDatabase;
let db: Db;
let other: Db;
beforeAll(async () => {
  database = await createTestDatabase();
  [db, other] = [openDb(database.url), openDb(database.url)];
});
afterAll(async () => {
  await db.$client.end();
  await other.$client.end();
  await database.drop();
});

describe('a connection that breaks', () => {
  test('a connection that breaks between two statements fails only the next statement', async () => {
    // An "error" event without a listener would end the process; the test runner counts it as a failure.
    const client = await db.$client.connect();
    const { rows } = await client
      .query<{ pid: number }>('BEGIN; SELECT pg_backend_pid() AS pid')
      .then((results) => (results as unknown as { rows: { pid: number }[] }[])[1]!);
    await other.$client.query('SELECT pg_terminate_backend($1)', [rows[0]!.pid]);
    const failed = await expect
      .poll(() => client.query('SELECT 1').catch((error: unknown) => error))
      .toBeInstanceOf(Error)
      .then(() => client.query('SELECT 1').catch((error: unknown) => error));
    expect(isUnreachable(failed)).toBe(true);
    client.release(true);
    expect((await db.$client.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  });

  test('a connection that breaks inside a transaction reports the error, and nothing is stored', async () => {
    const broken = db.transaction(async (tx) => {
      const { rows } = await tx
        .execute<{ pid: number }>('CREATE TABLE half (n int); SELECT pg_backend_pid() AS pid')
        .then((results) => (results as unknown as { rows: { pid: number }[] }[])[1]!);
      await other.$client.query('SELECT pg_terminate_backend($1)', [rows[0]!.pid]);
      await new Promise((resolve) => setTimeout(resolve, 50));
      await tx.execute('SELECT 1');
    });
    const error: unknown = await broken.catch((thrown: unknown) => thrown);
    expect(isUnreachable(error)).toBe(true);
    expect((await other.$client.query(`SELECT to_regclass('half') AS made`)).rows).toEqual([{ made: null }]);
  });

  test('transactions that cannot begin return their connections to the pool', async () => {
    const few = openDb(database.url, { max: 2 });
    try {
      const failing = { isolationLevel: 'no such level' as 'serializable' };
      for (let n = 0; n < 2; n++)
        await expect(few.transaction(() => Promise.resolve(), failing)).rejects.toThrow('Failed query: begin');
      expect(await few.transaction((tx) => tx.execute('SELECT 1 AS one')).then(({ rows }) => rows)).toEqual([
        { one: 1 },
      ]);
    } finally {
      await few.$client.end();
    }
  });
});

test('the error of a coordinator of Citus that was killed during a statement leaves the outcome unknown', async () => {
  const failed = (message: string) =>
    db.execute(`DO $$ BEGIN RAISE EXCEPTION '${message}' USING ERRCODE = 'XX000'; END $$`).catch((error) => error);
  expect(isUnreachable(await failed('postmaster was shut down, exiting'))).toBe(true);
  expect(isUnreachable(await failed('could not find the shard'))).toBe(false);
});

describe('a node of Citus that is away', () => {
  const fails = (code: string): string => `DO $$ BEGIN RAISE 'away' USING ERRCODE = '${code}'; END $$`;
  const session = async (one: Db): Promise<unknown> =>
    (await one.$client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]!.pid;

  test.each([
    ['a statement', (one: Db, text: string) => one.$client.query(text)],
    ['a planned write', (one: Db, text: string) => planAndWrite(one.$client, writing(text))],
  ])('a failure of %s does not close its connection', async (_, run) => {
    await using one = await onlyConnection();
    const before = await session(one.db);
    await expect(run(one.db, fails('08006'))).rejects.toBeInstanceOf(Error);
    expect(await session(one.db)).toBe(before);
  });

  test('a connection that its server closes is replaced', async () => {
    await using one = await onlyConnection();
    const before = await session(one.db);
    const ended = one.db.$client.query('SELECT pg_terminate_backend(pg_backend_pid())');
    await expect(ended).rejects.toBeInstanceOf(Error);
    expect(await session(one.db)).not.toBe(before);
  });
});

const writing = (text: string) => ({
  tries: 1,
  plan: () => Promise.resolve(),
  write: (client: pg.PoolClient) => client.query(text),
});

async function onlyConnection() {
  const one = openDb(database.url, { max: 1 });
  return { db: one, [Symbol.asyncDispose]: () => one.$client.end() };
}
