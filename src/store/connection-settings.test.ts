import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../test/postgres.ts';
import { openDb, withClient } from './db.ts';
import { listenForHints, openLeaseTable } from './nodes/leases.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  const name = new URL(database.url).pathname.slice(1);
  // As an administrator may have set them for other programs.
  const defaults = {
    jit: 'on',
    enable_seqscan: 'on',
    statement_timeout: '90s',
    lock_timeout: '90s',
    idle_in_transaction_session_timeout: '90s',
    idle_session_timeout: '90s',
    default_transaction_isolation: 'serializable',
    datestyle: 'SQL, DMY',
    timezone: 'Asia/Kolkata',
    synchronous_commit: 'off',
  };
  await withClient(database.url, 'test', async (client) => {
    for (const [setting, value] of Object.entries(defaults))
      await client.query(`ALTER DATABASE ${name} SET ${setting} = '${value}'`);
  });
});
afterAll(() => database.drop());

const asked = `SELECT current_setting('jit') AS jit, current_setting('enable_seqscan') AS scans,
  current_setting('statement_timeout') AS statement, current_setting('idle_in_transaction_session_timeout') AS silence,
  current_setting('lock_timeout') AS lock, current_setting('idle_session_timeout') AS idle,
  current_setting('default_transaction_isolation') AS isolation, current_setting('datestyle') AS dates,
  current_setting('timezone') AS zone, current_setting('synchronous_commit') AS commit,
  current_setting('application_name') AS name`;
const everywhere = {
  jit: 'off',
  lock: '0',
  idle: '0',
  isolation: 'read committed',
  dates: 'ISO, YMD',
  zone: 'UTC',
  commit: 'on',
};

test("every connection of the pool sets its own settings, whatever the database's defaults are", async () => {
  const db = openDb(database.url, { role: 'worker' });
  try {
    const rows = await Promise.all([1, 2, 3].map(() => db.$client.query(asked).then((result) => result.rows[0])));
    const work = { scans: 'off', statement: '20s', silence: '5s', name: 'parley worker' };
    expect(rows).toEqual([1, 2, 3].map(() => ({ ...everywhere, ...work })));
  } finally {
    await db.$client.end();
  }
});

test('a connection for tasks has no time limit and may read whole tables', async () => {
  const task = { scans: 'on', statement: '0', silence: '5min', name: 'parley backup' };
  const { rows } = await withClient(database.url, 'backup', (client) => client.query(asked));
  expect(rows).toEqual([{ ...everywhere, ...task }]);
});

test('the connections of a lease contain the role of their node and end a slow statement themselves', async () => {
  const onError = (): void => {};
  const listener = listenForHints(database.url, () => {}, { role: 'api', onError });
  const table = openLeaseTable(database.url, { role: 'api', timeoutMs: 1_000, onError });
  try {
    await table.leases();
    await withClient(database.url, 'test', async (client) => {
      const names = async () => {
        const { rows } = await client.query<{ name: string }>(
          `SELECT application_name AS name FROM pg_stat_activity WHERE datname = current_database() ORDER BY 1`,
        );
        return rows.map((row) => row.name);
      };
      await expect.poll(names).toEqual(['parley api lease', 'parley api listen', 'parley test']);
    });
  } finally {
    await listener.stop();
    await table.close();
  }
});

test('a stricter commit setting of the database is not changed', async () => {
  const name = new URL(database.url).pathname.slice(1);
  const set = (value: string) =>
    withClient(database.url, 'test', (client) =>
      client.query(`ALTER DATABASE ${name} SET synchronous_commit = ${value}`),
    );
  await set('remote_apply');
  const { rows } = await withClient(database.url, 'test', (client) => client.query(asked));
  await set('off');
  expect(rows[0]).toMatchObject({ commit: 'remote_apply' });
});
