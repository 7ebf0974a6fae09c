import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkDatabase } from '../../src/start/check-database.ts';
import { withClient } from '../../src/store/db.ts';
import { PGBOUNCER, startPgBouncer } from '../pgbouncer.ts';
import { freePort, type Program, runProgram } from '../program.ts';
import { startSystemPostgres, SYSTEM_POSTGRES, type SystemPostgres } from '../system-postgres.ts';

/** DATABASE_URL points to the PostgreSQL of this system with its default settings, over TCP and through a pooler. */
let server: SystemPostgres;
let dataDir: string;

async function start(databaseUrl: string, env: Record<string, string> = {}): Promise<Program> {
  return runProgram({
    DATABASE_URL: databaseUrl,
    ...env,
    DATA_DIR: dataDir,
    PORT: String(await freePort()),
    PARLEY_SECRET: 'k3Jx9vQm2TzLr8WcYp5NbHs7DgFa4EuXo1Ri6',
    PARLEY_DEMO: '1',
    PARLEY_OWNER_EMAIL: 'asha@example.com',
    PARLEY_OWNER_PASSWORD: 'correct horse 7 battery',
  });
}

async function withFresh(url: string, statement: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(statement)).rows as unknown[];
  } finally {
    await client.end();
  }
}

const doctorOf = (databaseUrl: string, env = {}) => checkDatabase({ DATABASE_URL: databaseUrl, ...env });

describe.skipIf(SYSTEM_POSTGRES === undefined)('the PostgreSQL of this system', () => {
  beforeAll(async () => {
    dataDir = mkdtempSync(path.join(tmpdir(), 'parley-any-'));
    server = await startSystemPostgres();
  });
  afterAll(async () => {
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  let call: { path: string; key: string };
  const answerOf = async (program: Program) => {
    const answer = await fetch(`${program.url}${call.path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${call.key}`, 'content-type': 'application/json', prefer: 'wait=20' },
      body: JSON.stringify({ message: 'How much does delivery cost?', variables: { order_id: 'A-1' } }),
    });
    return { status: answer.status, body: (await answer.json()) as { messages?: { role: string }[] } };
  };
  const answered = {
    status: 200,
    body: { messages: expect.arrayContaining([expect.objectContaining({ role: 'agent' })]) },
  };

  test('the system PostgreSQL is migrated, a call over TCP is answered, and connections have a name and role', async () => {
    const program = await start(server.url);
    await program.printed('is ready');
    const trigger = /(\/api\/triggers\/\S+?)(['" ]|$)/m.exec(program.output())![1]!;
    call = { path: trigger, key: readFileSync(path.join(dataDir, 'quickstart-key'), 'utf8').trim() };
    expect(await answerOf(program)).toMatchObject(answered);
    const names = await withClient(server.adminUrl, 'test', async (client) => {
      const { rows } = await client.query<{ name: string }>(
        `SELECT DISTINCT application_name AS name FROM pg_stat_activity WHERE usename = 'parley' ORDER BY 1`,
      );
      return rows.map((row) => row.name);
    });
    expect(names).toEqual(['parley all', 'parley all lease', 'parley all listen']);
    expect(await program.stop()).toBe(0);
  });

  test('the doctor describes the system PostgreSQL without the password', async () => {
    const findings = await doctorOf(server.url);
    expect(findings.filter(({ status }) => status !== 'ok')).toEqual([]);
    expect(findings[0]!.detail).toMatch(new RegExp(`^PostgreSQL ${server.major}\\..* at 127\\.0\\.0\\.1:`));
    expect(findings.map(({ name }) => name)).toEqual([
      'database',
      'durability',
      'replication',
      'database clock',
      'connections',
      'statistics',
      'checkpoints',
      'sending',
      'sessions',
    ]);
    const wrong = await doctorOf(server.url.replace('a-test-password', 'another-password'));
    expect(wrong).toMatchObject([{ name: 'database', status: 'fail' }]);
    expect(JSON.stringify([findings, wrong])).not.toMatch(/a-test-password|another-password/);
  });

  describe.skipIf(PGBOUNCER === undefined)('behind PgBouncer', () => {
    test('a pooler in session mode works', async () => {
      await using pooler = await startPgBouncer(server.url, 'session');
      const program = await start(pooler.url);
      await program.printed('is ready');
      expect(await answerOf(program)).toMatchObject(answered);
      expect(await program.stop()).toBe(0);
      expect((await doctorOf(pooler.url)).filter(({ status }) => status !== 'ok')).toEqual([]);
    });

    test('a pooler in transaction mode is refused at the start, with the remedy', async () => {
      await using pooler = await startPgBouncer(server.url, 'transaction');
      const program = await start(pooler.url);
      await program.printed('set DATABASE_DIRECT_URL');
      await expect.poll(() => program.child.exitCode).toBe(1);
      expect(await doctorOf(pooler.url)).toMatchObject([
        { name: 'database', status: 'fail', detail: expect.stringContaining('pool_mode = session') },
      ]);
    });

    test('a pooler in transaction mode works if a second address has sessions', async () => {
      await using pooler = await startPgBouncer(server.url, 'transaction');
      const direct = { DATABASE_DIRECT_URL: pooler.directUrl };
      const program = await start(pooler.url, direct);
      await program.printed('is ready');
      expect(await answerOf(program)).toMatchObject(answered);
      // Each session of the pooler has the settings of Parley from its beginning.
      const settings = await withFresh(pooler.url, 'SHOW enable_seqscan');
      expect(settings).toEqual([{ enable_seqscan: 'off' }]);
      expect(await program.stop()).toBe(0);
      const findings = await doctorOf(pooler.url, direct);
      expect(findings.filter(({ status }) => status !== 'ok')).toEqual([]);
      expect(findings.at(-1)).toMatchObject({ name: 'pooler', detail: expect.stringContaining('planned again') });
    });

    test('several cells and a pooler in transaction mode are refused, with the remedy', async () => {
      await using pooler = await startPgBouncer(server.url, 'transaction');
      const direct = { DATABASE_DIRECT_URL: pooler.directUrl };
      await withClient(server.url, 'test', (client) =>
        client.query(`INSERT INTO cell (name, schema_at) VALUES ('cell_2', 0)`),
      );
      const program = await start(pooler.url, direct);
      await program.printed('unset DATABASE_DIRECT_URL');
      await expect.poll(() => program.child.exitCode).toBe(1);
      await withClient(server.url, 'test', (client) => client.query('DELETE FROM cell'));
    });

    test('two addresses that lead to different databases are refused', async () => {
      await using pooler = await startPgBouncer(server.url, 'transaction');
      const program = await start(pooler.url.replace(/parley$/, 'postgres'), { DATABASE_DIRECT_URL: server.url });
      await program.printed('lead to different databases');
      await expect.poll(() => program.child.exitCode).toBe(1);
    });
  });
});
