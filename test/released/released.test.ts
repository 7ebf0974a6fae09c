import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../postgres.ts';
import { freePort, type Program, runProgram } from '../program.ts';
import type { Facts } from './facts.ts';

/** Restores the data of each released version, starts the program and makes a call: see README.md in this folder. */
const HERE = import.meta.dirname;
const VERSIONS = readdirSync(HERE).filter((name) => /^\d+\.\d+\.\d+$/.test(name));

/** The owner must find a row of each of these. */
const NOUNS = ['agents', 'triggers', 'channels', 'campaigns', 'keys', 'end-users', 'conversations', 'members', 'webhooks', 'models', 'audit']; // prettier-ignore

test('every version of the changelog has a stored backup', () => {
  const changelog = readFileSync(path.join(HERE, '../../CHANGELOG.md'), 'utf8');
  const released = [...changelog.matchAll(/^## \[(\d+\.\d+\.\d+)\]/gm)].map(([, version]) => version!);
  for (const version of ['0.1.0', ...released]) expect(VERSIONS).toContain(version);
});

describe.each(VERSIONS)('the data of %s', (version) => {
  const read = (file: string): string => path.join(HERE, version, file);
  const facts = JSON.parse(readFileSync(read('facts.json'), 'utf8')) as Facts;
  let folder: string;
  let database: TestDatabase;
  let server: Program;
  let env: Record<string, string>;

  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'parley-released-'));
    database = await createTestDatabase();
    env = {
      DATA_DIR: folder,
      DATABASE_URL: database.url,
      PARLEY_SECRET: facts.secret,
      PORT: String(await freePort()),
    };
  });
  afterAll(async () => {
    await server?.stop();
    await database.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  test('the data of a release is restored with all rows', async () => {
    const restore = runProgram(env, ['restore', read('backup.gz'), '--keep-keys', '--resume', '--yes']);
    expect([await restore.stop('SIGCONT'), restore.output()]).toEqual([0, expect.stringContaining('"revoked_keys":0')]);
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    const found: Record<string, number> = {};
    for (const table of Object.keys(facts.rows)) {
      const { rows } = await client.query<{ n: number }>(`SELECT count(*)::int AS n FROM public."${table}"`);
      found[table] = rows[0]!.n;
    }
    await client.end();
    expect(found).toEqual(facts.rows);
  });

  test('the restored server answers a call with a restored key', async () => {
    server = runProgram(env);
    await server.printed('Parley is ready');
    const answer = await fetch(server.url + facts.trigger, {
      method: 'POST',
      headers: { authorization: facts.authorization, 'content-type': 'application/json', prefer: 'wait=20' },
      body: JSON.stringify({ message: 'When do you open?' }),
    });
    const text = await answer.text();
    expect([answer.status, text]).toEqual([200, expect.stringContaining('"role":"agent"')]);
  });

  test('the owner sees a restored record of each kind', async () => {
    const post = await fetch(`${server.url}/dashboard/api/sign-in`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(facts.owner),
    });
    expect(post.status).toBe(200);
    const cookie = post.headers.getSetCookie().map((line) => line.split(';', 1)[0]!).join('; '); // prettier-ignore
    for (const noun of NOUNS) {
      const page = await fetch(`${server.url}/dashboard/api/organizations/${facts.org_id}/${noun}`, {
        headers: { cookie },
      });
      const { data } = (await page.json()) as { data?: unknown[] };
      expect([noun, page.status, (data?.length ?? 0) > 0]).toEqual([noun, 200, true]);
    }
  });
});
